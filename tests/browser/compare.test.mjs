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
    await page.getByRole("button", { name: "Freeze machine" }).click();
    await lab.changes.getByText(/^Added: pause node\d, from/).waitFor();
    await page.waitForFunction(() => location.hash.startsWith("#/lab/2/"));
    await page.waitForLoadState("networkidle");
    await page.reload();
    await lab.changes.getByText(/^Added: pause node\d, from/).waitFor();
    await lab.row("Two primaries, in all").waitFor();
    await lab.button("End the comparison").click();
    await lab.twin.waitFor({ state: "detached" });
    await page.waitForFunction(() => location.hash.startsWith("#/lab/1/"));
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
    assert.ok(await page.getByRole("button", { name: "Play", exact: true }).isVisible());
  }, phone));
