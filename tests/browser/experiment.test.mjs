// The experiment as a whole: undo, the form, links, files.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };
const clipboard = { ...still, permissions: ["clipboard-read", "clipboard-write"] };

/** Waits until the page shows a run, and gives what the tests here look at. */
async function opened(page) {
  await page.locator("#verdict-now").waitFor();
  return {
    ttl: page.getByRole("slider", { name: "ttl" }),
    ttlField: page.getByRole("spinbutton", { name: "ttl in seconds" }),
    time: page.locator("output.time"),
    title: page.getByRole("heading", { level: 1 }),
    undo: page.getByRole("button", { name: /^Undo(:| \()/ }),
    redo: page.getByRole("button", { name: /^Redo/ }),
    button: (name) => page.getByRole("button", { name, exact: true }),
    /** The fragment, once it has become another. */
    fragment: async (before = "") => {
      await page.waitForFunction((before) => location.hash.startsWith("#/lab/2/") && location.hash !== before, before);
      return page.evaluate(() => location.hash);
    },
  };
}

const settle = (page) => page.waitForFunction(() => location.hash.startsWith("#/lab/2/"));

test("changes are undone and done again by keys and by buttons that say what they do", () =>
  visit(async (page) => {
    const lab = await opened(page);
    assert.ok(await lab.undo.isDisabled());
    await lab.ttl.focus();
    for (let n = 0; n < 10; n++) await page.keyboard.press("ArrowRight");
    await settle(page);
    await page.getByRole("radio", { name: "required" }).check();
    assert.equal(await lab.undo.getAttribute("title"), "Undo: Watchdog off → required (Ctrl+Z)");
    await page.keyboard.press("Control+z");
    assert.ok(await page.locator("input[name='watchdog.mode'][value=off]").isChecked());
    assert.equal(await lab.undo.getAttribute("title"), "Undo: ttl 30 → 40 s (Ctrl+Z)", "the slider's way is one step");
    await lab.undo.click();
    assert.equal(await lab.ttlField.inputValue(), "30");
    await page.keyboard.press("Control+Shift+Z");
    assert.equal(await lab.ttlField.inputValue(), "40");
    await page.keyboard.press("Control+y");
    assert.ok(await page.getByRole("radio", { name: "required" }).isChecked());
    assert.ok(await lab.redo.isDisabled());
    await lab.button("Choose another scenario").click();
    await page.getByRole("button", { name: /^Steady state/ }).click();
    await page.keyboard.press("Control+z");
    assert.match(await lab.title.textContent(), /agent is killed/);
  }, still));

test("a changed setting is marked, says from what, and is put back alone", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await lab.ttlField.fill("45");
    await lab.ttlField.press("Enter");
    await page.getByRole("radio", { name: "quorum" }).check();
    assert.equal(await page.locator(".knob.changed").count(), 2);
    await page.getByText("Changed from 30 s.").waitFor();
    await lab.button("Put ttl back to 30 s").click();
    assert.equal(await lab.ttlField.inputValue(), "30");
    assert.equal(await page.locator(".knob.changed").count(), 1);
  }, still));

test("every setting has help by keyboard, and those out of sight are found by words", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const hint = page.getByRole("button", { name: "Help: retry_timeout" });
    await hint.press("Enter");
    assert.equal(await hint.getAttribute("aria-expanded"), "true");
    await page.getByText(/How long one operation on the store may take.*Takes 1 to 3600 s/).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await hint.getAttribute("aria-expanded"), "false");
    await lab.button("All other settings").press("Enter");
    const all = await page.locator(".other-settings .knob").count();
    await page.getByLabel("Find a setting").fill("fsync slowest");
    await page.getByText("1 found").waitFor();
    assert.ok(all > 25, `${all} settings`);
    await page.getByRole("spinbutton", { name: "fsync, most" }).fill("0.1");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: /^0\.1 is not possible: .*typical is above max/ }).waitFor();
    assert.equal(await page.getByRole("spinbutton", { name: "fsync, most" }).inputValue(), "0.1", "what was typed is not lost");
  }, still));

test("nodes come and go by number, and one that a fault strikes cannot be taken away", () =>
  visit(async (page) => {
    await opened(page);
    const nodes = page.getByRole("spinbutton", { name: "Nodes, as a number" });
    await page.getByText("The timeline in words").click();
    await nodes.fill("5");
    await nodes.press("Enter");
    await page.locator(".lanes").getByRole("heading", { name: /^node5/ }).first().waitFor();
    await page.getByText("Everything that can break").click();
    await page.getByLabel("What", { exact: true }).selectOption("node5/agent");
    await page.getByRole("button", { name: "Strike", exact: true }).click();
    await page.getByRole("list", { name: "What is broken in this run" }).getByText(/^kill node5\/agent, from/).waitFor();
    await nodes.fill("2");
    await nodes.press("Enter");
    await page.getByRole("alert").filter({ hasText: "the target of fault 2 is \"node5/agent\"" }).waitFor();
    assert.ok(await page.getByRole("list", { name: "What is broken in this run" }).getByText(/^kill node5\/agent, from/).isVisible());
  }, still));

test("the budget of a lease says in words where its time goes, and what this run took", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const bar = page.getByRole("img", { name: /loop_wait 10 \+ retry_timeout 10 \+ retry_timeout 10 \+ stop 0\.4 = 30\.4 of 30 s: 400 ms too long/ });
    await bar.waitFor();
    await page.getByText("How it adds up, and in this run").press("Enter");
    await page.getByText(/node1’s database accepted writes for 6\d\.\d s: .* longer than the lease/).waitFor();
    await lab.ttlField.fill("45");
    await lab.ttlField.press("Enter");
    await page.getByRole("img", { name: /of 45 s: 14\.6 s slack/ }).waitFor();
  }, still));

test("a link opens exactly this moment with all changes, and the way back is not blocked", () =>
  visit(async (page) => {
    const lab = await opened(page);
    const before = await page.evaluate(() => history.length);
    await lab.ttlField.fill("45");
    await lab.ttlField.press("Enter");
    await lab.button("Zoom in (z)").click();
    await page.getByRole("slider", { name: "Time", exact: true }).focus();
    for (let n = 0; n < 7; n++) await page.keyboard.press("ArrowLeft");
    const [time, verdict] = [await lab.time.textContent(), await page.locator("#verdict").textContent()];
    await lab.button("Copy link").click();
    await page.getByText("The link is copied.").waitFor();
    const { hash } = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    await page.waitForFunction((hash) => location.hash === hash, hash);
    assert.equal(await page.evaluate(() => history.length), before, "no step of its own in the browser's history");
    const other = await page.context().newPage();
    await other.goto(new URL(hash, page.url()).href);
    const there = await opened(other);
    assert.equal(await there.ttlField.inputValue(), "45");
    assert.equal(await there.time.textContent(), time);
    assert.equal(await other.locator("#verdict").textContent(), verdict);
    assert.equal(await other.locator(".knob.changed").count(), 1);
    assert.ok(await other.getByRole("button", { name: "Show the whole run" }).isEnabled(), "the view is zoomed too");
  }, clipboard));

test("link and report are copied, and say so", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await lab.button("Copy link").click();
    await page.getByText("The link is copied.").waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^http:\/\/127\.0\.0\.1:\d+\/#\/lab\/2\/[\w-]+$/);
    await lab.button("Link and file").click();
    await page.getByRole("dialog").getByRole("button", { name: "Copy report" }).click();
    await page.getByText("The report is copied.").waitFor();
    const report = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(report, /Link: http.*\nSeed: 7\nEngine: LeaseLab \d/);
    assert.match(report, /Verdict: Yes, for .*\n[^]*patroni\.ttl = 30 s\n[^]*kill node1\/agent/);
  }, clipboard));

test("where the browser gives no clipboard, the link can be copied by hand", () =>
  visit(async (page) => {
    await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.waitForLoadState("networkidle");
    await page.reload();
    const lab = await opened(page);
    await lab.button("Copy link").click();
    assert.match(await page.getByRole("dialog").getByLabel("To copy by hand").inputValue(), /#\/lab\/2\/[\w-]+$/);
  }, still));

for (const hostile of ["#/lab/1/AAAA", "#/lab/1/%3Cscript%3E", "#/lab/8/AAAA", "#/lab/1/" + "A".repeat(300_000)]) {
  test(`a link that cannot be opened is told: ${hostile.slice(0, 20)}`, () =>
    visit(async (page) => {
      const lab = await opened(page);
      await page.getByRole("alert").filter({ hasText: "The link was not opened" }).waitFor();
      assert.match(await lab.title.textContent(), /agent is killed/);
      await lab.button("Dismiss").click();
      await page.getByText("The link was not opened").waitFor({ state: "detached" });
    }, { ...still, hash: hostile }));
}

test("a scenario is saved as a file and opened again, by file, by dropping and by pasting", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await lab.ttlField.fill("45");
    await lab.ttlField.press("Enter");
    await lab.button("Link and file").click();
    const dialog = page.getByRole("dialog");
    const [download] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("link", { name: "Save the scenario as a file" }).click()]);
    assert.equal(download.suggestedFilename(), "the-leader-s-agent-is-killed-its-database-runs-on.toml");
    const text = readFileSync(await download.path(), "utf8");
    assert.match(text, /\nttl = 45\n/);
    const mine = text.replace(/title = ".*"/, 'title = "Mine"');
    await dialog.locator("input[type=file]").setInputFiles({ name: "mine.toml", mimeType: "text/plain", buffer: Buffer.from(mine) });
    await dialog.waitFor({ state: "hidden" });
    assert.match(await lab.title.textContent(), /^Mine\./);
    assert.equal(await page.locator(".knob.changed").count(), 0, "an opened file is its own measure");
    const drop = (name, text) =>
      page.evaluate(([name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      }, [name, text]);
    await drop("dropped.toml", 'title = "Dropped"\n');
    await page.getByRole("heading", { level: 1, name: /^Dropped\./ }).waitFor();
    await drop("bad.toml", "title = \"Bad\"\n[patroni]\ntll = 3\nloop_wait = 0\n");
    const errors = dialog.getByRole("alert");
    await errors.getByText("bad.toml:3: patroni.tll = 3: unknown key; did you mean patroni.ttl?").waitFor();
    await errors.getByText(/^bad\.toml:4: patroni\.loop_wait = 0/).waitFor();
    assert.match(await lab.title.textContent(), /^Dropped\./, "nothing is lost");
    await dialog.getByLabel("Or paste its text, or a link").fill("title = \"Pasted\"");
    await dialog.getByRole("button", { name: "Open what is pasted" }).click();
    await page.getByRole("heading", { level: 1, name: /^Pasted\./ }).waitFor();
    await page.keyboard.press("Control+z");
    await page.getByRole("heading", { level: 1, name: /^Dropped\./ }).waitFor();
  }, still));

test("work is kept for the next visit and offered, and two pages keep theirs side by side", () =>
  visit(async (page) => {
    const change = async (page, ttl) => {
      const lab = await opened(page);
      await lab.ttlField.fill(ttl);
      await lab.ttlField.press("Enter");
      await settle(page);
    };
    const site = page.url();
    await change(page, "45");
    const other = await page.context().newPage();
    await other.goto(site);
    const offered = other.getByRole("navigation", { name: "Go on where you left off" });
    assert.equal(await offered.getByRole("link").count(), 1);
    await change(other, "50");
    const third = await page.context().newPage();
    await third.goto(site);
    const lab = await opened(third);
    assert.equal(await lab.ttlField.inputValue(), "30", "it opens as it always does");
    const links = third.getByRole("navigation", { name: "Go on where you left off" }).getByRole("link");
    assert.equal(await links.count(), 2);
    await links.last().click();
    await third.waitForFunction(() => document.querySelector("[aria-label='ttl in seconds']").value === "45");
    await third.getByRole("navigation", { name: "Go on where you left off" }).waitFor({ state: "detached" });
  }, still));

for (const [how, breaks] of [
  ["is full", () => (Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); })],
  ["is switched off", () => Object.defineProperty(window, "localStorage", { get() { throw new DOMException("off", "SecurityError"); } })],
]) {
  test(`a browser whose memory ${how} is no reason to stop, and the page says so once`, () =>
    visit(async (page) => {
      await page.addInitScript(breaks);
      await page.waitForLoadState("networkidle");
      await page.reload();
      const lab = await opened(page);
      await lab.ttlField.fill("45");
      await lab.ttlField.press("Enter");
      await page.getByRole("alert").filter({ hasText: "This browser keeps nothing for the next visit" }).waitFor();
      await lab.button("Dismiss").click();
      await lab.ttlField.fill("50");
      const hash = await page.evaluate(() => location.hash);
      await lab.ttlField.press("Enter");
      await lab.fragment(hash);
      assert.equal(await page.getByText("This browser keeps nothing").count(), 0);
    }, still));
}

test("the reference explains every setting and fault, and leads back to what was open", () =>
  visit(async (page) => {
    const lab = await opened(page);
    await lab.ttlField.fill("45");
    await lab.ttlField.press("Enter");
    await settle(page);
    await page.getByRole("link", { name: "Settings explained" }).click();
    await page.getByRole("heading", { level: 1, name: "All settings" }).waitFor();
    assert.ok((await page.locator(".reference dt").count()) > 40);
    await page.locator("#field-patroni\\.ttl + dd").getByText(/How long the leader key lives/).waitFor();
    // The faults too, each with its fields and an example.
    await page.locator("#fault-pause").scrollIntoViewIfNeeded();
    await page.getByText("Whether the monotonic clock runs on").waitFor();
    assert.ok((await page.locator(".reference pre").allInnerTexts()).every((text) => text.startsWith("[[fault]]")));
    await page.goBack();
    assert.equal(await lab.ttlField.inputValue(), "45");
    await page.goForward();
    await page.getByRole("link", { name: "Back to the lab" }).click();
    assert.equal(await lab.ttlField.inputValue(), "45");
  }, still));

test("on the desktop, verdict, timeline, playback and the timings are in sight at once", () =>
  visit(async (page) => {
    const lab = await opened(page);
    for (const part of [page.locator("#verdict"), page.locator("canvas.grip"), lab.button("Play"), lab.ttl, page.getByRole("slider", { name: "retry_timeout" }), page.locator(".budget .bar")]) {
      const box = await part.boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= 800, `${box.y} to ${box.y + box.height}`);
    }
  }, still));
