// The page as a first-time visitor meets it. `visit` fails on every console error, missing file and foreign request.
// Nothing here measures real time: a test waits for what must come, and moves simulated time by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

// Most tests want a page that stands still.
const still = { reducedMotion: "reduce" };

/** Waits until the page shows a run, and gives the parts that tests look at. */
async function opened(page) {
  await page.locator("#verdict-now").waitFor();
  const seconds = (text) => Number(text.match(/^(?:At )?(\d+\.\d)/)[1]);
  return {
    verdict: page.locator("#verdict"),
    now: page.locator("#verdict-now"),
    scrubber: page.getByRole("slider", { name: "Time", exact: true }),
    button: (name) => page.getByRole("button", { name, exact: true }),
    at: async () => seconds(await page.locator("output.time").textContent()),
    ttl: page.getByRole("slider", { name: "ttl" }),
    ttlField: page.getByRole("spinbutton", { name: "ttl in seconds" }),
    current: page.locator(".events li[aria-current]"),
  };
}

/** Waits until a locator's text is another than `before`, and returns it. */
async function changed(locator, before) {
  const element = await locator.elementHandle();
  await locator.page().waitForFunction(([element, before]) => element.textContent !== before, [element, before]);
  return locator.textContent();
}

for (const prefix of ["/", "/courses/leaselab/"]) {
  test(`the page under ${prefix} opens on its question and answers it`, () =>
    visit(
      async (page) => {
        const lab = await opened(page);
        assert.equal(await page.title(), "LeaseLab");
        assert.match(await page.getByRole("heading", { level: 1 }).textContent(), /agent is killed.*two primaries coexist\?/);
        assert.match(await lab.verdict.textContent(), /^Yes, for .* accepted writes/);
        assert.equal(await page.locator("[style]:not(canvas, .events .scroll *)").count(), 0);
      },
      { prefix },
    ));
}

test("it opens playing, and space stops it", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await lab.button("Pause").waitFor();
    await changed(page.locator("output.time"), "0.0 s of 130.0 s");
    await page.keyboard.press("Space");
    await lab.button("Play").waitFor();
    const stopped = await lab.at();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await lab.at(), stopped);
  }));

test("who wants less motion finds it still, where two primaries begin", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await lab.button("Play").waitFor();
    assert.match(await lab.now.textContent(), /Yes, now/);
    assert.match(await lab.current.textContent(), /two primaries/);
  }, still));

test("a slider moved by keyboard runs the scenario again and keeps the playhead", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const [verdict, at] = [await lab.verdict.textContent(), await lab.at()];
    await lab.ttl.focus();
    for (let n = 0; n < 10; n++) await page.keyboard.press("ArrowRight");
    assert.equal(await lab.ttlField.inputValue(), "40");
    assert.match(await changed(lab.verdict, verdict), /^(Yes|No)/);
    assert.equal(await lab.at(), at);
  }, still));

test("a number field takes what the slider does not reach, and refuses what is impossible in words", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const verdict = await lab.verdict.textContent();
    await lab.ttlField.fill("300");
    await page.keyboard.press("Enter");
    assert.match(await changed(lab.verdict, verdict), /^No/);
    await lab.ttlField.fill("0");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "0 is not possible" }).waitFor();
    assert.equal(await lab.ttlField.getAttribute("aria-invalid"), "true");
    await lab.button("Undo all changes").click();
    assert.equal(await lab.ttlField.inputValue(), "30");
    await page.getByRole("alert").waitFor({ state: "detached" });
  }, still));

test("a timing that Patroni would not run with is adjusted, and the page says so", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await page.getByRole("spinbutton", { name: "loop_wait in seconds" }).fill("15");
    await page.keyboard.press("Enter");
    await page.getByText("Patroni would not run with 15 s: it runs with 10 s").waitFor();
    assert.equal(await lab.ttlField.inputValue(), "30");
  }, still));

test("a required watchdog prevents two primaries", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const verdict = await lab.verdict.textContent();
    await page.getByRole("radio", { name: "required" }).check();
    assert.match(await changed(lab.verdict, verdict), /^No/);
  }, still));

test("the scrubber moves the playhead, by keyboard and by dragging on the timeline", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await lab.scrubber.focus();
    await page.keyboard.press("Home");
    assert.equal(await lab.at(), 0);
    assert.match(await lab.now.textContent(), /^At 0.0 s: /);
    await page.keyboard.press("ArrowRight");
    assert.equal(await lab.at(), 0.1);
    const box = await page.locator("canvas.grip").boundingBox();
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
    await page.mouse.down();
    const middle = await lab.at();
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height * 0.5, { steps: 4 });
    await page.mouse.up();
    assert.ok(middle > 30 && (await lab.at()) > middle, `${middle} to ${await lab.at()}`);
  }, still));

test("steps go from event to event, jumps to the first bad moment, both ways by tenths and seconds", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const bad = await lab.at();
    await lab.button("Event ▶").click();
    const next = await lab.current.textContent();
    await lab.button("◀ Event").click();
    assert.notEqual(await lab.current.textContent(), next);
    await page.getByRole("button", { name: "+1 s" }).click();
    await page.getByRole("button", { name: "−0.1 s" }).click();
    assert.ok(Math.abs((await lab.at()) - bad - 0.9) < 0.11);
    await lab.button("Jump to first bad moment").click();
    assert.equal(await lab.at(), bad);
  }, still));

test("an event explains itself, and each cause leads to its moment", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const bad = await lab.at();
    await lab.current.getByRole("button", { name: /^Why\?/ }).click();
    const why = page.locator("section.why");
    await why.locator("li").first().waitFor();
    assert.ok((await why.locator("li").count()) >= 2);
    assert.match(await page.evaluate(() => document.activeElement.textContent), /^Why\?/);
    await why.locator("li button").first().click();
    assert.ok((await lab.at()) < bad);
    await page.keyboard.press("Escape");
    await why.waitFor({ state: "detached" });
  }, still));

test("the verdict itself can be asked why", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const bad = await lab.at();
    await lab.scrubber.press("Home");
    await page.locator(".verdict").getByRole("button", { name: "Why?" }).click();
    await page.locator("section.why li").first().waitFor();
    assert.equal(await lab.at(), bad);
    await page.locator("section.why").getByRole("button", { name: "Close" }).click();
    assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^Why\? two primaries/);
  }, still));

test("every figure of what it amounted to leads to its moment", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const outcome = page.getByRole("region", { name: "What it amounted to" });
    await outcome.waitFor();
    assert.match(await outcome.textContent(), /Two primaries.*Failover.*node1 to .* in .*Writes.*lost/);
    await page.keyboard.press("Home");
    const before = await lab.now.textContent();
    await outcome.getByRole("button", { name: /^node1 and node\d for / }).first().click();
    assert.match(await changed(lab.now, before), /two|both/i);
    const phase = outcome.getByRole("button", { name: /^race / }).first();
    await phase.focus();
    await page.keyboard.press("Enter");
    const to = Number((await phase.getAttribute("title")).match(/[\d.]+/)[0]);
    assert.equal(await lab.at(), to);
  }, still));

test("another scenario is chosen from a list that says what each shows", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const verdict = await lab.verdict.textContent();
    await lab.button("Choose another scenario").click();
    await page.getByRole("button", { name: /^Steady state/ }).click();
    assert.match(await changed(lab.verdict, verdict), /^No/);
    assert.match(await page.getByRole("heading", { level: 1 }).textContent(), /^Steady state/);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Choose another scenario");
    assert.ok(await lab.button("Jump to first bad moment").isDisabled());
  }, still));

test("everything can be reached and done with the keyboard alone", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    const tabTo = async (name) => {
      for (let n = 0; n < 80; n++) {
        await press("Tab");
        const label = await page.evaluate(() => document.activeElement.labels?.[0]?.textContent || document.activeElement.textContent);
        if (label.startsWith(name)) return;
      }
      assert.fail(`${name} cannot be reached with the tab key`);
    };
    await press("Home");
    assert.equal(await lab.at(), 0);
    await press("l", ".");
    assert.equal(await lab.at(), 1.1);
    await press("ArrowRight");
    await lab.current.waitFor();
    await press("b");
    assert.match(await lab.now.textContent(), /Yes, now/);
    await press("k");
    await lab.button("Pause").waitFor();
    await tabTo("Choose another");
    await press("k"); // a focused button keeps space, but not k
    await lab.button("Play").waitFor();
    await press("Space");
    await page.locator("#scenarios").waitFor();
    await press("Space");
    await tabTo("ttl");
    await press("End");
    assert.equal(await lab.ttlField.inputValue(), "120");
    await tabTo("Why?");
    await press("Enter");
    await page.locator("section.why").waitFor();
    await press("?");
    await page.getByRole("dialog").waitFor();
    await page.getByRole("checkbox").uncheck();
    await press("Escape");
    const at = await lab.at();
    await press("l");
    assert.equal(await lab.at(), at, "single keys are switched off");
  }, still));

for (const colorScheme of ["light", "dark"]) {
  test(`on a phone, ${colorScheme}, nothing scrolls sideways and playback is within reach`, () =>
    visit(
      async (page) => {
        const lab = await opened(page);
        const { wide, high } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, high: innerHeight }));
        assert.ok(wide <= 390, `the page is ${wide} wide`);
        for (const bottom of [false, true]) {
          await page.evaluate((down) => scrollTo(0, down ? document.body.scrollHeight : 0), bottom);
          const box = await lab.button("Play").boundingBox();
          assert.ok(box.y > high / 2 && box.y + box.height <= high, `Play is at ${box.y}`);
        }
        await page.evaluate(() => scrollTo(0, 0));
        const grip = await page.locator("canvas.grip").boundingBox();
        await page.touchscreen.tap(grip.x + grip.width * 0.5, grip.y + 150);
        assert.ok(Math.abs((await lab.at()) - 50) < 20, `tapped at ${await lab.at()}`);
      },
      { ...still, colorScheme, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 3 },
    ));
}

test("a worker that dies is replaced, and the page says so", () =>
  visit(async (page, problems) => {
    const lab = await opened(page);
    const [worker] = page.workers();
    await worker.evaluate(() => setTimeout(() => { throw new Error("meant to die"); }));
    await page.getByText("The engine had stopped").waitFor();
    await lab.button("Event ▶").click();
    const verdict = await lab.verdict.textContent();
    await lab.ttlField.fill("300");
    await page.keyboard.press("Enter");
    assert.match(await changed(lab.verdict, verdict), /^No/, "the new worker runs scenarios");
    problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes("meant to die")));
  }, still));
