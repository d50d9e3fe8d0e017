// The page within another page: what it shows, what it may be asked, what it tells.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };
const clipboard = { ...still, permissions: ["clipboard-read", "clipboard-write"] };

/** Puts the page into a frame of another page of the host, and gives the frame and ways to talk to it. */
async function framed(page, hash = "") {
  const site = new URL("./", page.url()).href;
  await page.route("**/around.html", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<!doctype html><link rel="icon" href="data:,"><iframe src="${site}?embed=1${hash}" width="900" height="720"></iframe>
        <script>
          const heard = [];
          addEventListener("message", ({ data }) => heard.push(data));
          const say = (message) => document.querySelector("iframe").contentWindow.postMessage(message, "*");
        </script>`,
    }),
  );
  // A load that is broken off is a failure of its own.
  await page.waitForLoadState("networkidle");
  await page.goto(new URL("./around.html", site).href);
  const frame = page.frames().find((frame) => frame.url().includes("embed=1"));
  await frame.locator("#verdict-now").waitFor();
  return {
    frame,
    say: (message) => page.evaluate((message) => say(message), message),
    /** Waits for a state that has these parts. */
    state: (parts) =>
      page.waitForFunction((parts) => {
        const state = heard.filter(({ is }) => is === "state").at(-1);
        return state && Object.entries(parts).every(([key, value]) => state[key] === value) && state;
      }, parts).then((state) => state.jsonValue()),
    heard: () => page.evaluate(() => heard),
  };
}

test("within another page there are timeline, playback and verdict, and nothing else", () =>
  visit(async (page) => {
    const { frame, heard, state } = await framed(page);
    for (const name of ["Timeline", "Playback", "The verdict"]) {
      await frame.getByRole("region", { name, exact: true }).waitFor();
    }
    assert.equal(await frame.getByRole("region").count(), 3);
    assert.equal(await frame.locator("header, nav, dialog, form").count(), 0);
    const { verdict, end_ms, playing } = await state({});
    assert.equal(verdict, await frame.locator("#verdict").textContent());
    assert.deepEqual([end_ms, playing], [130_000, false]);
    assert.deepEqual((await heard())[0], { leaselab: 1, is: "ready" });
    // No sheet can be opened behind the scenes, and the keys of playback work.
    await frame.getByRole("button", { name: "Event ▶" }).press("?");
    await frame.getByRole("button", { name: "Event ▶" }).press("Home");
    await state({ ms: 0 });
    const link = frame.getByRole("link", { name: "Open in LeaseLab" });
    assert.match(await link.getAttribute("href"), /^http:\/\/127\.0\.0\.1:\d+\/#\/lab\/2\/[\w-]+$/);
  }, still));

test("the page around plays, pauses, seeks and opens links, and hears what became of it", () =>
  visit(async (page) => {
    await page.locator("#verdict-now").waitFor();
    await page.getByRole("spinbutton", { name: "ttl in seconds" }).fill("300");
    await page.keyboard.press("Enter");
    await page.locator("#verdict", { hasText: /^No/ }).waitFor();
    await page.waitForFunction(() => location.hash.startsWith("#/lab/2/"));
    const link = page.url();
    const { say, state, frame } = await framed(page);
    await say({ leaselab: 1, do: "seek", ms: 42_123 });
    await state({ ms: 42_123 });
    assert.match(await frame.locator("output.time").textContent(), /^42\.1 s/);
    await say({ leaselab: 1, do: "play" });
    await state({ playing: true });
    await say({ leaselab: 1, do: "pause" });
    assert.ok((await state({ playing: false })).ms >= 42_123);
    await say({ leaselab: 1, do: "seek", ms: 1e12 });
    await state({ ms: 130_000 });
    await say({ leaselab: 1, do: "open", link });
    const verdict = await frame.locator("#verdict", { hasText: /^No/ }).textContent();
    await state({ verdict });
    await say({ leaselab: 1, do: "seek", ms: 0 });
    await state({ ms: 0 });
    // The same link again leads to the same moment again.
    await say({ leaselab: 1, do: "open", link });
    await page.waitForFunction(() => heard.at(-1).ms > 0);
  }, still));

test("messages that are none of ours, or damaged, change nothing", () =>
  visit(async (page) => {
    const { say, state, heard, frame } = await framed(page);
    await say({ leaselab: 1, do: "seek", ms: 10_000 });
    await state({ ms: 10_000 });
    const before = (await heard()).length;
    const strange = [
      null, 7, "play", [], {}, { do: "play" }, { leaselab: 2, do: "play" }, { leaselab: "1", do: "play" }, { leaselab: 1 },
      { leaselab: 1, do: "dance" }, { leaselab: 1, do: 7 }, { leaselab: 1, do: "seek" }, { leaselab: 1, do: "seek", ms: -1 },
      { leaselab: 1, do: "seek", ms: "5" }, { leaselab: 1, do: "seek", ms: NaN }, { leaselab: 1, do: "seek", ms: Infinity },
      { leaselab: 1, do: "open" }, { leaselab: 1, do: "open", link: "https://elsewhere.example/" },
      { leaselab: 1, do: "open", link: "#/settings" }, { leaselab: 1, do: "open", link: "#/lab/1/AAAA" },
      { leaselab: 1, do: "open", link: 7 }, { leaselab: 1, do: "pause" },
    ];
    for (const message of strange) await say(message);
    // From the frame itself, too, which is not the page around it.
    await frame.evaluate(() => window.postMessage({ leaselab: 1, do: "seek", ms: 99_000 }, "*"));
    await frame.evaluate(() => new Promise((done) => setTimeout(done)));
    await say({ leaselab: 1, do: "seek", ms: 10_001 });
    await state({ ms: 10_001 });
    assert.equal((await heard()).length, before + 1, JSON.stringify((await heard()).slice(before)));
    assert.equal(await frame.getByRole("alert").count(), 0);
  }, still));

test("a snippet for other pages lies beside the link, and holds what is shown", () =>
  visit(async (page) => {
    await page.locator("#verdict-now").waitFor();
    await page.getByRole("button", { name: "Link and file" }).click();
    const dialog = page.getByRole("dialog", { name: "Link and file" });
    await dialog.getByText("Show it in a page of your own").click();
    await dialog.getByRole("button", { name: "Copy snippet" }).click();
    await dialog.getByText("The snippet is copied.").waitFor();
    const snippet = await page.evaluate(() => navigator.clipboard.readText());
    const frame = await page.evaluate((snippet) => {
      const frame = new DOMParser().parseFromString(snippet, "text/html").querySelector("iframe");
      return { src: frame.src, title: frame.title };
    }, snippet);
    assert.match(frame.src, /^http:\/\/127\.0\.0\.1:\d+\/\?embed=1#\/lab\/2\/[\w-]+$/);
    assert.equal(frame.title, "LeaseLab: The leader's agent is killed, its database runs on");
    const { frame: opened } = await framed(page, new URL(frame.src).hash);
    assert.match(await opened.getByRole("heading", { level: 1 }).textContent(), /agent is killed/);
  }, clipboard));
