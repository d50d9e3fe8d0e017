// What leaves the page as a file: the timeline as SVG and PNG, the trace as JSON lines.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };
const TITLE = "the-leader-s-agent-is-killed-its-database-runs-on";

/** Opens the sheet, presses a button of it by keyboard, and gives the file that the browser saves. */
async function save(page, name) {
  await page.locator("#verdict-now").waitFor();
  await page.getByRole("button", { name: "Link and file" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Link and file" });
  const [download] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name }).press("Enter")]);
  await dialog.getByText("The file is saved").waitFor();
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** How wide and high the timeline is on the page. */
const shown = (page) => page.locator("canvas.grip").evaluate(({ clientWidth, clientHeight }) => [clientWidth, clientHeight]);

test("the timeline is saved as SVG, as it is seen: its size, its window, its playhead", () =>
  visit(async (page) => {
    const read = (text) =>
      page.evaluate((text) => {
        const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
        const svg = parsed.documentElement;
        return {
          name: svg.localName,
          size: [svg.getAttribute("width"), svg.getAttribute("height")].map(Number),
          texts: [...svg.querySelectorAll("text")].map((text) => text.textContent),
          paper: svg.querySelector("rect").getAttribute("fill"),
        };
      }, text);
    const whole = await save(page, "Save the timeline as SVG");
    assert.equal(whole.name, `${TITLE}.svg`);
    const svg = await read(whole.bytes.toString());
    assert.equal(svg.name, "svg");
    assert.deepEqual(svg.size.map(Math.round), await shown(page));
    assert.equal(svg.paper, "#fbfaf7");
    const at = (await page.locator("output.time").textContent()).match(/^\d+\.\d/)[0];
    for (const words of ["node1", "node3", at]) assert.ok(svg.texts.some((text) => text.includes(words)), words);
    await page.keyboard.press("Escape");
    // The browser closes the sheet first and tells the page afterwards; until then the page leaves keys to the sheet.
    await page.locator("#scenario-text").waitFor({ state: "detached" });
    await page.keyboard.press("z");
    const zoomed = await read((await save(page, "Save the timeline as SVG")).bytes.toString());
    assert.notDeepEqual(zoomed.texts, svg.texts, "the window is that of the page");
  }, { ...still, colorScheme: "light" }));

test("the timeline is saved as PNG on its own paper, sharp, in the colours of the page", () =>
  visit(async (page) => {
    const { name, bytes } = await save(page, "Save the timeline as PNG");
    assert.equal(name, `${TITLE}.png`);
    const image = await page.evaluate(async (base64) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: "image/png" }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const colours = new Set();
      for (let n = 0; n < data.length; n += 4) colours.add(`${data[n]},${data[n + 1]},${data[n + 2]},${data[n + 3]}`);
      return { size: [bitmap.width, bitmap.height], first: [...data.slice(0, 4)], colours: colours.size };
    }, bytes.toString("base64"));
    const [wide, high] = await shown(page);
    assert.deepEqual(image.size, [wide * 2, high * 2]);
    assert.deepEqual(image.first, [0x14, 0x16, 0x1a, 255]);
    assert.ok(image.colours > 20, `${image.colours} colours`);
  }, { ...still, colorScheme: "dark" }));

test("the trace is saved as JSON lines, every event in order with its cause", () =>
  visit(async (page) => {
    const { name, bytes } = await save(page, "Save the trace as JSON lines");
    assert.equal(name, `${TITLE}.jsonl`);
    const events = bytes.toString().trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.ok(events.length > 1_000, `${events.length} events`);
    events.forEach(({ event, cause }, n) => {
      assert.equal(event, n + 1);
      assert.ok(cause === null || cause < event);
    });
    assert.ok(events.some(({ what, at_ms }) => what === "fault" && at_ms > 0));
    // The worker is free for the next run.
    await page.keyboard.press("Escape");
    const verdict = await page.locator("#verdict").textContent();
    await page.getByRole("spinbutton", { name: "ttl in seconds" }).fill("300");
    await page.keyboard.press("Enter");
    await page.waitForFunction((verdict) => document.querySelector("#verdict").textContent !== verdict, verdict);
  }, still));
