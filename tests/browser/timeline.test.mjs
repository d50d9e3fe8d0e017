// The timeline under wheel, fingers and keys: zoom and pan, the map of the whole run, lanes, messages, the legend.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };
const phone = { ...still, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 3 };

async function opened(page) {
  await page.locator("#verdict-now").waitFor();
  const end = (name) => page.getByRole("slider", { name });
  const seconds = async (name) => Number((await end(name).textContent()).match(/^[\d.]+/)[0]);
  const lab = {
    end,
    from: () => seconds("View from"),
    until: () => seconds("View until"),
    button: (name) => page.getByRole("button", { name, exact: true }),
    at: () => page.locator("output.time").textContent(),
    /** The place so far along the timeline, which is what lies between the column of names and the right edge. */
    place: async (share, y = 200) => {
      const box = await page.locator(".grip").boundingBox();
      const [left, right] = box.width < 560 ? [66, 8] : [98, 12];
      return [box.x + left + (box.width - left - right) * share, box.y + y];
    },
    span: async () => (await lab.until()) - (await lab.from()),
  };
  return lab;
}

/** Waits until what `value` gives is another than `before`. */
async function moved(value, before) {
  for (;;) {
    const now = await value();
    if (now !== before) return now;
  }
}

test("the wheel zooms at the pointer, pans with shift, and scrolls the page when all is in view", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await page.mouse.move(...(await lab.place(0.5)));
    for (let n = 0; n < 4; n++) await page.mouse.wheel(0, -100);
    await page.waitForFunction(() => document.querySelector(".end").textContent !== "0.0 s");
    while ((await lab.span()) > 130 * 0.8 ** 4 + 0.3);
    const middle = ((await lab.from()) + (await lab.until())) / 2;
    assert.ok(Math.abs(middle - 65) < 0.3, `around ${middle}`);
    const from = await lab.from();
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, 100);
    await page.keyboard.up("Shift");
    assert.ok((await moved(lab.from, from)) > from);
    await page.keyboard.press("a");
    assert.equal(await lab.span(), 130);
    await page.mouse.wheel(0, 100);
    await page.waitForFunction(() => scrollY > 0);
  }, still));

test("dragging the time axis pans, and keys zoom and pan down to ten milliseconds", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await page.keyboard.press("z");
    const [from, at] = [await moved(lab.from, 0), await lab.at()];
    await page.mouse.move(...(await lab.place(0.5, 8)));
    await page.mouse.down();
    await page.mouse.move(...(await lab.place(0.7, 8)), { steps: 4 });
    await page.mouse.up();
    while (Math.abs((await lab.from()) - (from - 65 * 0.2)) > 0.3);
    assert.equal(await lab.at(), at, "the playhead stays");
    const before = await lab.from();
    await page.keyboard.press("w");
    assert.ok((await moved(lab.from, before)) > before);
    for (let n = 0; n < 16; n++) await page.keyboard.press("z");
    await page.waitForFunction(() => document.querySelector(".zoom button:last-of-type").ariaDisabled === "true");
    assert.ok(Math.abs((await lab.span()) - 0.01) < 0.0015, `${await lab.span()} s`);
  }, still));

test("the frame on the map is dragged, stretched, and moved by keyboard", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await lab.end("View until").focus();
    await page.keyboard.press("PageDown");
    assert.deepEqual([await lab.from(), await lab.until()], [0, 65]);
    assert.equal(await lab.end("View until").getAttribute("aria-valuetext"), "65.0 s of 130.0 s");
    await lab.end("View from").press("ArrowRight");
    assert.equal(await lab.from(), 3.2);
    const box = await page.locator(".map .frame").boundingBox();
    const on = (seconds) => [box.x + 98 + ((box.width - 110) * seconds) / 130, box.y + 15];
    const drag = async (a, b) => {
      await page.mouse.move(...on(a));
      await page.mouse.down();
      await page.mouse.move(...on(b), { steps: 3 });
      await page.mouse.up();
    };
    const span = await lab.span();
    await drag(30, 60);
    assert.ok(Math.abs((await lab.from()) - 33.2) < 0.5 && Math.abs((await lab.span()) - span) < 0.2);
    await drag(await lab.until(), 120);
    assert.ok(Math.abs((await lab.until()) - 120) < 0.5 && Math.abs((await lab.from()) - 33.2) < 0.5);
    assert.match(await page.locator(".map canvas[role=img]").getAttribute("aria-label"), /1 fault, 1 failover/);
  }, still));

test("two fingers zoom, one moves the playhead and leaves the page to scroll", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const touch = await page.context().newCDPSession(page);
    const send = (type, ...points) =>
      touch.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const [a, b] = [await lab.place(0.4), await lab.place(0.6)];
    await send("touchStart", a);
    await send("touchStart", a, b);
    await send("touchMove", [a[0] - 30, a[1]], [b[0] + 30, b[1]]);
    await send("touchMove", [a[0] - 60, a[1]], [b[0] + 60, b[1]]);
    await send("touchEnd");
    const span = await moved(lab.span, 130);
    assert.ok(span < 100, `${span} s`);
    assert.equal(await page.locator(".hold").evaluate((hold) => getComputedStyle(hold).touchAction), "pan-y");
  }, phone));

for (const options of [still, phone]) {
  test(`lanes are hidden, folded and moved by keyboard, undone, and sent along (${options.isMobile ? "phone" : "desk"})`, () =>
    visit(async (page) => {
      const lab = await opened(page);
      const height = () => page.locator(".grip").evaluate((canvas) => canvas.clientHeight);
      const before = await height();
      await page.locator(".lane-panel summary").press("Enter");
      await lab.button("Hide: node3").press("Enter");
      await lab.button("Fold: node2").press("Enter");
      await lab.button("Up: Writes").press("Enter");
      assert.match(await page.locator(".lane-panel summary").textContent(), /1 hidden/);
      const less = await moved(height, before);
      assert.equal(before - less, 62 + 30, "a node less, and one as a row");
      assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^Up: Writes/);
      await page.keyboard.press("Control+z");
      await page.waitForFunction(() => location.hash.startsWith("#/lab/2/"));
      await page.reload();
      await page.locator("#verdict-now").waitFor();
      assert.match(await page.locator(".lane-panel summary").textContent(), /1 hidden/);
      await page.locator(".lane-panel summary").press("Enter");
      await lab.button("Unfold: node2").waitFor();
      await lab.button("All lanes as at first").press("Enter");
      assert.equal(await page.locator(".lane-panel summary").textContent(), "Lanes");
    }, options));
}

test("a message says what it is, when it was sent and how long it was under way, by keyboard and under the pointer", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const words = page.locator(".message p");
    await page.keyboard.press("n");
    await page.locator(".message p:not(.help)").waitFor();
    const first = await words.textContent();
    assert.match(first, /(sent|lost) at \d+\.\d{3} s/);
    await lab.button("Message ▶").press("Enter");
    assert.notEqual(await words.textContent(), first);
    await lab.button("◀ Message").press("Enter");
    assert.equal(await words.textContent(), first);
    await page.keyboard.press("Escape");
    await page.locator(".message p.help").waitFor();
    for (let n = 0; n < 9; n++) await page.keyboard.press("z");
    const found = async () => {
      const box = await page.locator(".grip").boundingBox();
      for (let y = 60; y < 400; y += 20) {
        for (let x = 110; x < box.width - 20; x += 12) {
          await page.mouse.move(box.x + x, box.y + y);
          if ((await words.getAttribute("class")) !== "help") return true;
        }
      }
      return false;
    };
    assert.ok(await found(), "some message is under the pointer");
    await page.mouse.move(5, 5);
    await page.locator(".message p.help").waitFor();
  }, still));

test("the legend is always there, on a phone one press away", async () => {
  const forms = (page) => page.locator(".legend li:visible").filter({ hasText: /^(belief|store|effect):/ });
  await visit(async (page) => {
    await opened(page);
    assert.equal(await forms(page).count(), 3);
  }, still);
  await visit(async (page) => {
    await opened(page);
    assert.equal(await forms(page).count(), 0);
    await page.getByText("All forms").tap();
    assert.equal(await forms(page).count(), 3);
  }, phone);
});
