// "What really happened": a recorded run of the real software under the simulated one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };

/** Opens a run from the list with the keyboard alone. */
async function open(page, group, run) {
  await page.locator("#verdict-now").waitFor();
  await page.getByRole("button", { name: "What really happened" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "What really happened" });
  await dialog.locator("summary", { hasText: group }).first().press("Enter");
  await dialog.getByRole("button", { name: run }).press("Enter");
  await page.getByRole("heading", { name: /^Recorded: real/ }).waitFor();
  await dialog.waitFor({ state: "hidden" });
}

const killed = ["3: only the leader’s agent is killed", "Run 02 with default: ttl 30 s, loop_wait 10 s, retry_timeout 10 s"];

test("a recording is chosen by keyboard and stands under the run of the same scenario, with its figures", () =>
  visit(async (page) => {
    await open(page, ...killed);
    assert.equal(
      await page.evaluate(() => document.activeElement.textContent),
      "Recorded: real Patroni 4.1.5, etcd 3.4.23, PostgreSQL 15.18",
    );
    assert.match(await page.getByRole("heading", { level: 1 }).textContent(), /^s3-default-02, as recorded/);
    await page.locator("#verdict", { hasText: /^Yes, for .* pg\d and pg\d both accepted writes/ }).waitFor();
    for (const name of ["Timeline", "Recorded timeline"]) {
      const box = await page.getByRole("region", { name, exact: true }).locator("canvas").first().boundingBox();
      assert.ok(box.width > 300 && box.height > 300, `${name} is ${box.width} x ${box.height}`);
    }
    assert.match(await page.locator("#recorded-verdict").textContent(), /Yes, for 18\.2 s: .* 568 acknowledged writes are lost/);
    // The worker goes through the seeds meanwhile.
    await page.getByText("40 seeds have run.").waitFor({ timeout: 120_000 });
    const row = page.getByRole("row", { name: /^The leader key is gone/ });
    const cells = await row.getByRole("cell").allTextContents();
    assert.equal(cells[0], "24.653 s");
    assert.match(cells[1], /^\d+\.\d{3} s$/);
    assert.match(cells[2], /^\d+\.\d{3} s to \d+\.\d{3} s$/);
    assert.match(cells[3], /^(yes|no, by \d+ ms)$/);
    assert.equal(await page.getByRole("columnheader").count(), 5);
    assert.equal(await page.locator("[style]:not(canvas, .events .scroll *)").count(), 0);
  }, still));

test("both timelines share window and playhead, and the recorded one can be dragged too", () =>
  visit(async (page) => {
    await open(page, ...killed);
    const time = page.locator("output.time");
    const grip = page.getByRole("region", { name: "Recorded timeline" }).locator("canvas.grip");
    await grip.scrollIntoViewIfNeeded();
    const box = await grip.boundingBox();
    const before = await time.textContent();
    await page.mouse.click(box.x + box.width * 0.3, box.y + 80);
    assert.notEqual(await time.textContent(), before);
  }, still));

test("a changed setting keeps the recording and says that it is no longer the recorded one", () =>
  visit(async (page) => {
    await open(page, ...killed);
    await page.getByRole("spinbutton", { name: "ttl in seconds" }).fill("60");
    await page.keyboard.press("Enter");
    await page.locator("#recorded-changed", { hasText: "no longer has the recorded settings" }).waitFor();
    await page.getByRole("button", { name: "Undo all changes" }).click();
    await page.locator("#recorded-changed", { hasText: "no longer" }).waitFor({ state: "detached" });
    await page.getByRole("heading", { name: /^Recorded: real/ }).waitFor();
  }, still));

test("closing the recording goes back to the scenario before, and the focus to the button that opened it", () =>
  visit(async (page) => {
    const title = await page.getByRole("heading", { level: 1 }).textContent();
    await open(page, ...killed);
    await page.getByRole("button", { name: "Close the recording" }).press("Enter");
    await page.getByRole("heading", { name: /^Recorded: real/ }).waitFor({ state: "detached" });
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), title);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "What really happened");
    await page.locator("#verdict", { hasText: "node" }).waitFor();
  }, still));

test("no recording is part of the first load", () =>
  visit(async (page) => {
    const asked = [];
    // A load that is broken off is a failure of its own.
    await page.waitForLoadState("networkidle");
    page.on("request", (request) => asked.push(request.url()));
    await page.reload();
    await page.locator("#verdict-now").waitFor();
    assert.ok(!asked.some((url) => url.includes("/recordings/")), asked.join("\n"));
    await page.getByRole("button", { name: "What really happened" }).click();
    await page.locator("dialog summary").first().waitFor();
    assert.equal(asked.filter((url) => url.includes("/recordings/")).length, 1);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  }, still));

test("on a phone the recording scrolls nowhere sideways, but for its table", () =>
  visit(
    async (page) => {
      await open(page, ...killed);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `the page is ${wide} wide`);
    },
    { ...still, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  ));
