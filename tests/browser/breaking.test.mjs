// Faults by hand: pressed, dragged, stretched, edited, taken away; links cut and healed. By mouse, by touch, by keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };
const phone = { ...still, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Opens the steady state, in which nothing is broken, and gives the parts that tests look at. */
async function steady(page) {
  await page.locator("#verdict-now").waitFor();
  await page.getByRole("button", { name: "Choose another scenario" }).click();
  await page.getByRole("button", { name: /^Steady state/ }).click();
  await page.getByText("Nothing is broken in this run.").waitFor();
  // The run is there, and nothing moves any more.
  await page.locator(".playback output.time", { hasText: "0.0 s of 120.0 s" }).waitFor();
  const panel = page.locator(".evidence");
  const stage = page.locator(".timeline .hold").first();
  const list = panel.getByRole("list", { name: "What is broken in this run" });
  return {
    panel,
    list,
    verdict: page.locator("#verdict"),
    tool: (name) => panel.getByRole("button", { name, exact: true }),
    undo: page.getByRole("button", { name: /^Undo/ }).first(),
    field: (name) => panel.getByLabel(name, { exact: true }),
    /** Where an instant lies on the timeline, by the place of the playhead's two ends. */
    async place(seconds, lane) {
      const box = await stage.boundingBox();
      const [left, right] = box.width < 560 ? [66, 8] : [98, 12];
      const total = Number((await page.locator(".playback output.time").textContent()).match(/of ([\d.]+) s/)[1]);
      // Without faults the first lane is the store's.
      const y = { faults: 34, node1: 175 }[lane];
      return [box.x + left + ((box.width - left - right) * seconds) / total, box.y + y];
    },
    /** The fault in the list, once it is there: its label, its beginning and its length in seconds. */
    async fault(label) {
      const text = await list.locator("span", { hasText: label }).textContent();
      const [, at, lasts] = text.match(/(?:from|at) ([\d.]+) s(?: for ([\d.]+) (?:m?s))?/);
      return [Number(at), lasts && Number(lasts)];
    },
  };
}

const near = (actual, expected, within, words) => assert.ok(Math.abs(actual - expected) <= within, `${words}: ${actual}, not ${expected}`);

test("a fault is dragged onto a lane, moved, stretched and taken away with the mouse, and each is one step back", () =>
  visit(async (page) => {
    const lab = await steady(page);
    const drag = async (from, to) => {
      await page.mouse.move(...from);
      await page.mouse.down();
      await page.mouse.move(...to, { steps: 6 });
      await page.mouse.up();
    };
    const tool = await lab.tool("Freeze machine").boundingBox();
    await drag([tool.x + 20, tool.y + 10], await lab.place(50, "node1"));
    await lab.list.getByText("pause node1, from").waitFor();
    const [at, lasts] = await lab.fault("pause node1");
    near(at, 50, 0.5, "dropped at");
    assert.equal(lasts, 20);
    // In the middle of the chip: it moves.
    await drag(await lab.place(at + 10, "faults"), await lab.place(at + 30, "faults"));
    await page.waitForFunction((was) => !document.querySelector(".faults span").textContent.includes(`from ${was} s`), String(at));
    const [moved, same] = await lab.fault("pause node1");
    near(moved, at + 20, 0.5, "moved to");
    assert.equal(same, 20);
    // At its end: it lasts longer.
    const [x, y] = await lab.place(moved + 20, "faults");
    await drag([x - 2, y], [(await lab.place(moved + 30, "faults"))[0], y]);
    await lab.list.getByText(/for (29|30)/).waitFor();
    near((await lab.fault("pause node1"))[0], moved, 0.01, "still begins at");
    await lab.undo.click();
    await lab.list.getByText("for 20").waitFor();
    await lab.undo.click();
    near((await lab.fault("pause node1"))[0], at, 0.01, "back at");
    await page.locator(".timeline .hold").first().click({ position: { x: 5, y: 300 } });
    await page.mouse.click(...(await lab.place(at + 10, "faults")));
    await page.keyboard.press("Delete");
    await page.getByText("Nothing is broken in this run.").waitFor();
  }, still));

test("the same with the keyboard alone: at the playhead, its numbers, its end, and away with it", () =>
  visit(async (page) => {
    const lab = await steady(page);
    await page.getByRole("slider", { name: "Time", exact: true }).press("Home");
    for (let n = 0; n < 20; n++) await page.keyboard.press("l");
    await lab.tool("Freeze agent").press("Enter");
    await lab.list.getByText("pause node1/agent, from 20 s for 45").waitFor();
    await lab.field("Begins at, s").fill("25");
    await page.keyboard.press("Enter");
    await lab.list.getByText("from 25 s for 45").waitFor();
    await page.keyboard.press("ArrowUp");
    await lab.list.getByText("from 26 s for 45").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "fault-at_s", "the focus stays");
    await lab.field("Lasts, s").fill("-3");
    await page.keyboard.press("Enter");
    await lab.panel.getByRole("alert").filter({ hasText: "-3 is not possible" }).waitFor();
    await page.getByRole("slider", { name: "Time", exact: true }).press("Home");
    for (let n = 0; n < 40; n++) await page.keyboard.press("l");
    await lab.panel.getByRole("button", { name: /^End it now/ }).press("Enter");
    await lab.list.getByText("from 26 s for 14").waitFor();
    await lab.panel.getByRole("button", { name: "Done with this fault" }).press("Enter");
    await lab.field("Begins at, s").waitFor({ state: "detached" });
    await lab.panel.getByRole("button", { name: /^Change: pause node1/ }).press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "fault-title");
    await lab.panel.getByRole("combobox", { name: "on" }).selectOption("etcd2");
    await lab.tool("Kill agent").press("Enter");
    await lab.panel.getByRole("alert").filter({ hasText: "there is nothing of that kind" }).waitFor();
    await lab.panel.getByRole("button", { name: /^Remove: pause node1/ }).press("Enter");
    await page.getByText("Nothing is broken in this run.").waitFor();
  }, still));

test("with a thumb a fault is dropped from the palette and moved on the timeline", () =>
  visit(async (page) => {
    const lab = await steady(page);
    const client = await page.context().newCDPSession(page);
    const touch = (type, point) =>
      client.send("Input.dispatchTouchEvent", { type, touchPoints: point ? [{ x: point[0], y: point[1] }] : [] });
    const drag = async (from, to) => {
      await touch("touchStart", from);
      for (let n = 1; n <= 8; n++) await touch("touchMove", [0, 1].map((k) => from[k] + ((to[k] - from[k]) * n) / 8));
      await touch("touchEnd");
    };
    // Both in view, above the playback that stays at the bottom.
    await lab.tool("Freeze machine").evaluate((tool) => tool.scrollIntoView({ block: "center" }));
    const tool = await lab.tool("Freeze machine").boundingBox();
    await drag([tool.x + 30, tool.y + 15], await lab.place(30, "node1"));
    await lab.list.getByText("pause node1, from").waitFor();
    const [at] = await lab.fault("pause node1");
    near(at, 30, 2, "dropped at");
    await page.locator(".timeline .hold").first().evaluate((stage) => stage.scrollIntoView({ block: "start" }));
    await drag(await lab.place(at + 10, "faults"), await lab.place(at + 50, "faults"));
    await page.waitForFunction((was) => !document.querySelector(".faults span").textContent.includes(`from ${was} s`), String(at));
    near((await lab.fault("pause node1"))[0], at + 40, 2, "moved to");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, "nothing is wider than the screen");
  }, phone));

test("links are cut and healed one direction at a time, in the table and in the picture", () =>
  visit(async (page) => {
    const lab = await steady(page);
    await page.getByRole("slider", { name: "Time", exact: true }).press("Home");
    for (let n = 0; n < 30; n++) await page.keyboard.press("l");
    await lab.panel.getByText("Links between the machines").press("Enter");
    const cell = (from, to, state) => lab.panel.getByRole("button", { name: `${from} to ${to}: ${state}` });
    await cell("node1", "etcd2", "whole").press("Enter");
    await lab.list.getByText("cut node1 -> etcd2, from 30 s to the end").waitFor();
    assert.equal(await cell("node1", "etcd2", "cut").getAttribute("aria-pressed"), "true");
    assert.equal(await cell("etcd2", "node1", "whole").count(), 1);
    for (let n = 0; n < 10; n++) await page.keyboard.press("l");
    await cell("node1", "etcd2", "cut").press("Enter");
    await lab.list.getByText("cut node1 -> etcd2, from 30 s for 10").waitFor();
    await lab.panel.locator("svg .wire .reach").first().click({ force: true });
    await lab.list.getByText("cut node1 -> node2, from 40 s to the end").waitFor();
    assert.equal(await lab.panel.locator("svg .wire.cut").count(), 1);
  }, still));
