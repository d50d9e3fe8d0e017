// What one actor does at the playhead, what changed it last, and what the store holds: by keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };

test("an actor is looked at closely, and what changed it last leads to its moment", () =>
  visit(async (page) => {
    await page.locator("#verdict-now").waitFor();
    await page.getByText("Look closer").press("Enter");
    const look = page.locator("details.inspect");
    await look.getByText("dead", { exact: true }).waitFor();
    await look.getByRole("combobox").selectOption("node2’s agent");
    await look.getByText(/of 10\.0 s used \((loop_wait|retry_timeout)\)/).waitFor();
    await look.getByText("Margin").waitFor();
    await look.getByRole("combobox").selectOption("node1’s agent");
    await look.getByRole("button", { name: /^40\.25\d* s: node1's agent is killed/ }).press("Enter");
    assert.match(await page.locator(".playback output.time").textContent(), /^40\.2 s/);
    await look.getByRole("combobox").selectOption("the router");
    await look.getByText("Router sends to").waitFor();
    await look.getByRole("combobox").selectOption("client 1");
    await look.getByText(/^its writes are acknowledged by node1, for /).waitFor();
  }, still));

test("by keyboard alone: another actor, what it waits for and how much of its time is used, and the reply that came last", () =>
  visit(async (page) => {
    await page.locator("#verdict-now").waitFor();
    await page.getByText("Look closer").press("Enter");
    const look = page.locator("details.inspect");
    const list = look.getByRole("combobox");
    await list.focus();
    // A list takes the first letters of what is looked for.
    await list.pressSequentially("node2’s a");
    await page.keyboard.press("Enter");
    assert.equal(await list.evaluate((list) => list.selectedOptions[0].textContent), "node2’s agent");
    await look.getByText(/^(?:time to pass, .* left|(?:the reply of|a connection to) .* used)$/).waitFor();
    const last = look.getByRole("button", { name: /^\d+\.\d+ s: / });
    const at = (await last.textContent()).match(/^\s*(\d+\.\d)/)[1];
    await last.press("Enter");
    await page.locator(".playback output.time", { hasText: `${at} s of` }).waitFor();
  }, still));

test("the store's keys are a tree of what it holds, with what is new and what is gone", () =>
  visit(async (page) => {
    await page.locator("#verdict-now").waitFor();
    await page.getByText("The store’s keys").press("Enter");
    const tree = page.getByRole("list", { name: "The store’s keys" });
    await tree.getByText("node2", { exact: true }).first().waitFor();
    assert.match(await tree.locator("> li", { hasText: "leader" }).first().textContent(), /^leader (?:new|this loop) node2 revision \d+, put \d+ ms ago; node2's lease 2, \d+\.\d s left/);
    assert.match(await tree.locator("li li", { hasText: "node1" }).textContent(), /is not there any more/);
    await tree.locator("li li", { hasText: "node1" }).getByRole("button").press("Enter");
    assert.match(await page.locator(".playback output.time").textContent(), /^70\.[45] s/);
  }, still));

test("a node's own clock is shown as a second scale, and the drawing that is saved has it", () =>
  visit(async (page) => {
    await page.locator("#verdict-now").waitFor();
    await page.getByRole("combobox", { name: "on", exact: true }).selectOption("node1");
    await page.getByRole("button", { name: "Set clock", exact: true }).press("Enter");
    await page.getByRole("list", { name: "What is broken in this run" }).getByText("node1 clock").waitFor();
    await page.getByText("Lanes", { exact: true }).press("Enter");
    await page.getByRole("combobox", { name: /^Second scale/ }).selectOption("node1’s clock");
    await page.getByRole("button", { name: "Link and file" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: /SVG/ }).click();
    const stream = await (await download).createReadStream();
    let svg = "";
    for await (const chunk of stream) svg += chunk;
    assert.match(svg, /node1’s clock/);
    assert.match(svg, /\+5 s/);
  }, still));
