// The store's members on the page: struck by hand, drawn, told, and set.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };

/** Opens the steady state, in which nothing is broken, and gives the parts that tests look at. */
async function steady(page) {
  await page.locator("#verdict-now").waitFor();
  await page.getByRole("button", { name: "Choose another scenario" }).click();
  await page.getByRole("button", { name: /^Steady state/ }).click();
  await page.getByText("Nothing is broken in this run.").waitFor();
  const panel = page.locator(".evidence");
  await page.getByText("The timeline in words").click();
  await panel.getByText("Everything that can break").click();
  return {
    verdict: page.locator("#verdict"),
    panel,
    list: panel.getByRole("list", { name: "What is broken in this run" }),
    what: panel.getByLabel("What", { exact: true }),
    how: panel.getByLabel("How", { exact: true }),
    from: panel.getByLabel("From, s"),
    lasts: panel.getByLabel("For, s"),
    strike: panel.getByRole("button", { name: "Strike", exact: true }),
    lane: (name) => page.locator(".lanes section").filter({ has: page.getByRole("heading", { name, exact: true }) }),
    moment: page.locator(".moment"),
  };
}

/** Strikes and waits until it is listed. */
async function strike(lab, what, how, from, lasts, listed) {
  await lab.what.selectOption(what);
  await lab.how.selectOption(how);
  await lab.from.fill(from);
  await lab.lasts.fill(lasts);
  await lab.strike.click();
  await lab.list.getByText(listed).waitFor();
}

test("struck members and disks change the verdict and the lanes, and can be taken away again", () =>
  visit(async (page) => {
    const lab = await steady(page);
    assert.doesNotMatch(await lab.verdict.textContent(), /The store/);
    const high = (await page.locator("canvas.grip").boundingBox()).height;
    await strike(lab, "etcd1", "power", "30", "20", "kill etcd1, from 30 s for 20 s");
    await strike(lab, "etcd2", "power", "30", "20", "kill etcd2, from 30 s for 20 s");
    await lab.verdict.getByText(/The store .*could decide nothing for 2\d\.\d s\./).waitFor();
    await lab.lane("etcd1").getByText("dead").waitFor();
    await lab.lane("Store").getByText("the store has no majority").waitFor();
    assert.ok((await page.locator("canvas.grip").boundingBox()).height > high, "there is room for the words");
    await strike(lab, "etcd3/disk", "stall", "60", "5", "stall etcd3/disk, from 60 s for 5 s");
    await lab.lane("etcd3").getByText("disk stalls").waitFor();
    await page.getByRole("slider", { name: "Time", exact: true }).press("Home");
    for (let n = 0; n < 62; n++) await page.keyboard.press("l");
    await lab.moment.getByText(/log to \d+, disk stalls/).waitFor();
    await page.getByRole("button", { name: /^Remove: kill etcd1/ }).click();
    await lab.lane("etcd1").getByText("dead").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo all changes" }).click();
    await page.getByText("Nothing is broken in this run.").waitFor();
    assert.equal(await page.locator("[style]:not(canvas, .events .scroll *)").count(), 0);
  }, still));

test("a strike begins at the playhead, needs no mouse, and says in words what cannot be", () =>
  visit(async (page) => {
    const lab = await steady(page);
    await page.getByRole("slider", { name: "Time", exact: true }).press("Home");
    for (let n = 0; n < 20; n++) await page.keyboard.press("l");
    await lab.what.focus();
    await page.keyboard.type("node2");
    await page.keyboard.press("ArrowDown");
    assert.equal(await lab.what.inputValue(), "node2/postgres");
    await lab.lasts.fill("0");
    await page.keyboard.press("Enter");
    await lab.panel.getByRole("alert").filter({ hasText: "0 is not possible" }).waitFor();
    await lab.lasts.fill("10");
    await page.keyboard.press("Enter");
    await lab.list.getByText("kill node2/postgres, from 20 s for 10 s").waitFor();
    assert.equal(await lab.panel.getByRole("alert").count(), 0);
  }, still));

test("only ways that suit the target are offered, and a way that says how much has a field for it", () =>
  visit(async (page) => {
    const lab = await steady(page);
    await lab.what.selectOption("etcd2/disk");
    assert.deepEqual(await lab.how.locator("option").allTextContents(), ["stall: no write gets done", "slow down"]);
    await lab.how.selectOption("slow");
    await lab.panel.getByLabel("Added time, ms").fill("300");
    await lab.strike.click();
    await lab.list.getByText(/^slow etcd2\/disk/).waitFor();
  }, still));

test("the store has as many lanes as members, and timings that etcd refuses are refused", () =>
  visit(async (page) => {
    const lab = await steady(page);
    assert.equal(await lab.lane("etcd3").count(), 1);
    await page.getByRole("spinbutton", { name: "Store members, as a number" }).fill("5");
    await page.keyboard.press("Enter");
    await lab.lane("etcd5").waitFor();
    await page.getByRole("button", { name: "All other settings" }).click();
    await page.getByRole("spinbutton", { name: "Election timeout in milliseconds" }).fill("200");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "200 is not possible" }).waitFor();
    await page.getByRole("slider", { name: "Store members" }).press("Home");
    await lab.lane("etcd5").waitFor({ state: "detached" });
    assert.equal(await lab.lane("etcd1").count(), 0, "one member has no lane of its own");
  }, still));
