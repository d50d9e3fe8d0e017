// Two runs on one axis: forked, changed, swapped, ended; in links, after a reload, by keyboard, on a phone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };
const phone = { ...still, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

async function forked(page) {
  await page.locator("#verdict-now").waitFor();
  await page.keyboard.press("f");
  await page.getByText("Nothing is changed yet").waitFor();
  const twin = page.getByRole("region", { name: "Before: the run that is kept" });
  const details = page.getByRole("region", { name: "Both runs, compared" });
  return {
    twin,
    ttl: page.getByRole("spinbutton", { name: "ttl in seconds" }),
    changes: details.getByRole("list", { name: "What was changed" }),
    verdict: page.locator("#verdict"),
    row: (title) => details.getByRole("row").filter({ hasText: title }),
    button: (name) => page.locator(".evidence").getByRole("button", { name }),
  };
}

test("a run is kept while another is changed, and both are told side by side", () =>
  visit(async (page) => {
    const lab = await forked(page);
    const before = await lab.verdict.textContent();
    await lab.ttl.fill("300");
    await page.keyboard.press("Enter");
    await page.locator("#verdict", { hasText: /^No/ }).waitFor();
    await lab.changes.getByText("ttl: 30 → 300 s").waitFor();
    assert.match(await lab.twin.locator("p").first().textContent(), /^Before: Yes, for 21\.2 s/);
    assert.deepEqual(await lab.row("Two primaries, in all").locator("td").allTextContents(), ["21.2 s", "0 s", "− 21.2 s"]);
    await lab.button(/first difference/).click();
    const at = Number((await page.locator(".playback output.time").textContent()).split(" ")[0]);
    assert.ok(at > 40 && at < 75, `they part at ${at}`);
    await lab.button("Swap the two").press("Enter");
    await lab.changes.getByText("ttl: 300 → 30 s").waitFor();
    await page.locator("#verdict", { hasText: /^Yes/ }).waitFor();
    assert.equal(await lab.verdict.textContent(), before);
    await page.keyboard.press("Control+z");
    await lab.changes.getByText("ttl: 30 → 300 s").waitFor();
    await lab.button("Back to before").press("Enter");
    await lab.twin.waitFor({ state: "detached" });
    assert.equal(await lab.ttl.inputValue(), "30");
  }, still));

test("a link and a reload open both runs again", () =>
  visit(async (page) => {
    const lab = await forked(page);
    const other = (than) => page.waitForFunction((than) => location.hash.startsWith("#/lab/2/") && location.hash !== than, than);
    await other("");
    const alone = new URL(page.url()).hash;
    await page.getByRole("button", { name: "Freeze machine" }).click();
    await lab.changes.getByText(/^Added: pause node\d, from/).waitFor();
    await other(alone);
    const both = new URL(page.url()).hash;
    await page.waitForLoadState("networkidle");
    await page.reload();
    await lab.changes.getByText(/^Added: pause node\d, from/).waitFor();
    await lab.row("Two primaries, in all").waitFor();
    await lab.button("End the comparison").click();
    await lab.twin.waitFor({ state: "detached" });
    await other(both);
    assert.ok(new URL(page.url()).hash.length < both.length, "one run takes less room than two");
    // Why? is answered of the run that is changed, which ran last.
    await page.getByRole("button", { name: "Why?", exact: true }).first().click();
    await page.locator("section.why li").first().waitFor();
  }, still));

test("on a phone the two runs lie under each other and nothing is wider than the screen", () =>
  visit(async (page) => {
    const lab = await forked(page);
    await lab.ttl.fill("60");
    await page.keyboard.press("Enter");
    await lab.row("Failovers").waitFor();
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    const figures = page.getByRole("region", { name: "Both runs, figure by figure" });
    assert.ok(await figures.evaluate((region) => region.scrollWidth <= region.clientWidth), "every column is in sight");
    assert.ok(await page.getByRole("button", { name: "Play", exact: true }).isVisible());
  }, phone));

test("who ends the comparison by keyboard goes on at the fork, and who cannot fork is told why", () =>
  visit(async (page) => {
    const lab = await forked(page);
    const fork = page.getByRole("button", { name: "Fork", exact: true });
    assert.equal(await fork.getAttribute("aria-disabled"), "true");
    await fork.press("Enter");
    await page.getByText("Two runs are compared already.").waitFor();
    await lab.button("Swap the two").press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Swap the two");
    await lab.button("End the comparison").press("Enter");
    await lab.twin.waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Fork");
    // Nothing was changed, so nothing but the fork can be taken back.
    await page.keyboard.press("Control+z");
    await lab.twin.waitFor();
    await page.keyboard.press("Control+z");
    await lab.twin.waitFor({ state: "detached" });
  }, still));

/** The instants at two places of a timeline, as the playhead shows them once it was put there. */
async function axis(page, timeline) {
  const grip = timeline.locator(".hold");
  const { width } = await grip.boundingBox();
  const read = async (x) => {
    await page.keyboard.press("Home");
    await page.locator(".playback output.time", { hasText: /^0\.0 s/ }).waitFor();
    await grip.click({ position: { x, y: 80 } });
    await page.locator(".playback output.time", { hasNotText: /^0\.0 s/ }).waitFor();
    return page.locator(".playback output.time").textContent();
  };
  return [await read(width * 0.3), await read(width * 0.6)];
}

test("runs of different length have one time axis", () =>
  visit(async (page) => {
    const lab = await forked(page);
    await page.getByRole("button", { name: "All other settings" }).click();
    await page.getByRole("spinbutton", { name: /^Duration/ }).fill("200");
    await page.keyboard.press("Enter");
    await lab.changes.getByText(/^Duration: \d+ → 200 s/).waitFor();
    await lab.row("Failovers").waitFor();
    // A field for a number has keys of its own.
    await page.getByRole("button", { name: "Fork", exact: true }).focus();
    const kept = await axis(page, lab.twin);
    const now = await axis(page, page.getByRole("region", { name: "Timeline", exact: true }));
    assert.deepEqual(kept, now);
    assert.match(now[1], /^1\d\d\.\d s of 200\.0 s/);
  }, still));

test("a page within another shows both runs of a link", () =>
  visit(async (page) => {
    const lab = await forked(page);
    await page.waitForFunction(() => location.hash.startsWith("#/lab/2/"));
    const alone = new URL(page.url()).hash;
    await lab.ttl.fill("300");
    await page.keyboard.press("Enter");
    await page.waitForFunction((alone) => location.hash !== alone, alone);
    const { origin, pathname, hash } = new URL(page.url());
    await page.goto(`${origin}${pathname}?embed=1${hash}`);
    await page.getByRole("region", { name: "Timeline of the kept run" }).waitFor();
    await page.getByRole("list", { name: "What was changed" }).getByText("ttl: 30 → 300 s").waitFor();
    assert.equal(await page.getByRole("button", { name: "Swap the two" }).count(), 0);
    await page.locator("#verdict", { hasText: /^No/ }).waitFor();
    await page.getByRole("row").filter({ hasText: "Failovers" }).waitFor();
  }, still));

/** What the pointer finds while it goes along a timeline at this height: whether any message was read. */
async function reads(page, timeline, height) {
  const hold = timeline.locator(".hold");
  await hold.scrollIntoViewIfNeeded();
  const box = await hold.boundingBox();
  const message = page.locator(".message");
  const idle = await message.textContent();
  for (let x = 100; x < box.width; x += 4) {
    await page.mouse.move(box.x + x, box.y + height);
    if ((await message.textContent()) !== idle) return true;
  }
  return false;
}

test("messages are read on the run that is changed, never through the kept one", () =>
  visit(async (page) => {
    const lab = await forked(page);
    // Between the lanes of node1 and node2 messages pass when the key has gone.
    assert.ok(await reads(page, page.getByRole("region", { name: "Timeline", exact: true }), 240));
    await page.mouse.move(5, 5);
    assert.ok(!(await reads(page, lab.twin, 240)));
  }, still));
