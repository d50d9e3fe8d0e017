// Notes on the timeline: written by keyboard, read by whoever opens the link.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };

test("a note is written at the playhead by keyboard, goes with the link, and is taken away and back", () =>
  visit(async (page) => {
    await page.locator("#verdict-now").waitFor();
    const at = (await page.locator("output.time").innerText()).match(/^[\d.]+/)[0];
    const summary = page.locator(".remarks summary");
    await summary.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.id), "remark");
    // Its letters are no shortcuts.
    await page.keyboard.type("<b>zab</b> & co");
    await page.waitForFunction(() => location.hash.startsWith("#/lab/"));
    const before = await page.evaluate(() => location.hash);
    await page.keyboard.press("Enter");
    const note = page.getByRole("button", { name: `${at} s <b>zab</b> & co` });
    await note.waitFor();
    assert.equal(await page.locator("#remark").inputValue(), "");
    assert.equal(await page.locator(".remarks b").count(), 0, "it is text, not markup");

    await page.waitForFunction((before) => location.hash !== before, before);
    const other = await page.context().newPage();
    await other.goto(page.url());
    const opened = other.getByRole("button", { name: `${at} s <b>zab</b> & co` });
    await opened.waitFor();
    await other.keyboard.press("Home");
    await other.locator("output.time").getByText("0.0 s of", { exact: false }).waitFor();
    await opened.press("Enter");
    await other.locator("output.time").getByText(`${at} s of`).waitFor();

    await page.getByRole("button", { name: `Take away the note at ${at} s` }).press("Enter");
    await note.waitFor({ state: "detached" });
    await page.keyboard.press("Control+z");
    await note.waitFor();
  }, still));
