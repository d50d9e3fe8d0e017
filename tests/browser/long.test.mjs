// A run of a whole day: what is in view is run again with all its messages, whys and events.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const DAY = `title = "A day"
duration_s = 86400
seed = 4
[store]
members = 3
[[fault]]
at_s = 50000
for_s = 60
kind = "kill"
target = "node1/agent"
`;

/** Opens the day as a dropped file. */
async function opened(page) {
  await page.locator("#verdict-now").waitFor();
  await page.evaluate((text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "day.toml", { type: "text/plain" }));
    const event = (kind) => new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer });
    document.body.dispatchEvent(event("dragover"));
    document.body.dispatchEvent(event("drop"));
  }, DAY);
  await page.getByText(/^Yes, for 4\d\.\d s/).waitFor({ timeout: 120_000 });
}

test("a day is shown as a whole, and from ten minutes on its messages, whys and events are there", () =>
  visit(async (page) => {
    await opened(page);
    const message = page.locator(".message [role=status]");
    await message.getByText("zoom in to ten minutes").waitFor();
    await page.keyboard.press("b");
    for (let n = 0; n < 10; n++) await page.keyboard.press("z");
    await message.getByText("Point at a message").waitFor();
    await page.keyboard.press("n");
    await message.getByText(/sent at 500\d\d\.\d+ s/).waitFor();

    await page.keyboard.press("b");
    await page.getByRole("button", { name: "Why?", exact: true }).click();
    const why = page.getByRole("region", { name: /^Why/ });
    await why.getByText("killed").first().waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Link and file" }).click();
    const dialog = page.getByRole("dialog", { name: "Link and file" });
    const [file] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: /JSON lines/ }).press("Enter")]);
    const lines = readFileSync(await file.path(), "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.ok(lines.length > 1_000, `${lines.length} events`);
    assert.ok(lines.some((line) => line.what === "sent"));
    assert.ok(lines.every((line) => line.at_ms > 49_900_000 && line.at_ms < 50_200_000));
  }, { reducedMotion: "reduce" }));

test("before and after an event of a day are told of the two minutes around it", () =>
  visit(async (page) => {
    await opened(page);
    await page.keyboard.press("b");
    await page.keyboard.press("c");
    const section = page.getByRole("region", { name: /^Before and after/ });
    await section.getByText("only the two minutes before it and after it are looked at").waitFor();
    assert.match(await section.innerText(), /\d{3,} events happened before it/);
  }, { reducedMotion: "reduce" }));
