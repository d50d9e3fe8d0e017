// "Seen in this run": patterns with names, how often each occurs, and links to where.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const calm = { reducedMotion: "reduce" };

async function seen(page) {
  const section = page.getByRole("region", { name: "Seen in this run" });
  await section.getByRole("listitem").first().waitFor();
  return section;
}

test("each pattern has its name, its count and its meaning, and a key leads to where it occurs", () =>
  visit(async (page) => {
    const section = await seen(page);
    const words = await section.getByRole("listitem").allInnerTexts();
    assert.ok(words.some((item) => item.startsWith("lease expired, and a database ran on without its agent × 1")), words.join("\n"));
    assert.ok(words.every((item) => / × \d+\n+.+\.\n/.test(item)), words.join("\n"));
    const late = section.getByRole("button", { name: /^[\d.]+ s, race declined by every candidate$/ });
    const at = (await late.innerText()).match(/^[\d.]+/)[0];
    await late.focus();
    await page.keyboard.press("Enter");
    await page.locator(".events li[aria-current]").getByText("does not race").waitFor();
    assert.ok((await page.locator("output.time").innerText()).startsWith(at.slice(0, -1)), "the playhead is there");
  }, calm));

test("of many places the first and the last are offered", () =>
  visit(async (page) => {
    const section = await seen(page);
    const writes = section.getByRole("button", { name: /write accepted by a deposed primary$/ });
    assert.equal(await writes.count(), 4);
    assert.match(await writes.last().innerText(), /^last: [\d.]+ s$/);
  }, calm));

for (const [name, options] of [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
]) {
  test(`no violation of WCAG 2.2 AA: ${name}`, () =>
    visit(async (page) => {
      await seen(page);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(
        (values) => window.axe.run("section.seen", { runOnly: { type: "tag", values } }),
        LEVELS,
      );
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].failureSummary}`), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
    }, { ...calm, ...options }));
}
