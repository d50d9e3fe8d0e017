// What happened before an event, what after it, and what it has nothing to do with: by keyboard and by mouse.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

test("an event is asked what happened before and after it, and what is concurrent leads to its moment", () =>
  visit(
    async (page) => {
      await page.locator("#verdict-now").waitFor();
      const panel = page.getByRole("region", { name: /^Before and after/ });
      await page.keyboard.press("c");
      await panel.getByText(/\d+ events happened before it \(◀\), \d+ after it \(▶\); \d+ did neither/).waitFor();
      const [past, future, concurrent] = (await panel.getByRole("status").textContent()).match(/(?<=[.,;] )\d+(?= )/g).map(Number);
      assert.ok(past > 100 && future > 100 && concurrent > 0, `${past}, ${future}, ${concurrent}`);
      for (const sign of ["● this one", "◀ before it", "▶ after it"]) await page.locator(".events .relation", { hasText: sign }).first().waitFor();
      await page.keyboard.press("Escape");
      await panel.waitFor({ state: "detached" });
      assert.equal(await page.locator(".events .relation").count(), 0);
      await page.getByRole("button", { name: /^◀▶ Before and after: node2's database is being promoted/ }).press("Enter");
      await panel.getByText("Concurrent with it").waitFor();
      const first = panel.locator("li button").first();
      const at = parseFloat(await first.locator("time").textContent());
      await first.press("Enter");
      const now = parseFloat(await page.locator(".playback output.time").textContent());
      assert.ok(Math.abs(now - at) < 0.11, `${now} is ${at}`);
      await panel.getByRole("button", { name: "Close" }).click();
      await panel.waitFor({ state: "detached" });
    },
    { reducedMotion: "reduce" },
  ));
