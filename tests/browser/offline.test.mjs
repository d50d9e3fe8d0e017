// Offline after the first visit, and newer versions of the site, which are offered and never forced.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { visit } from "./harness.mjs";

const still = { reducedMotion: "reduce" };
const tool = fileURLToPath(new URL("../../tools/offline.mjs", import.meta.url));

/** The site as `make dist` finishes it, in a folder of its own, and a way to publish a newer version there. */
async function hosted(body, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), "leaselab-site-"));
  const finish = () => execFileSync(process.execPath, [tool, folder]);
  const publish = (mark) => {
    appendFileSync(join(folder, "style.css"), `:root { --published: ${mark}; }\n`);
    finish();
  };
  try {
    cpSync(process.env.SITE ?? fileURLToPath(new URL("../../target/site", import.meta.url)), folder, { recursive: true });
    publish("first");
    await visit((page, problems, host) => body(page, { publish, host, problems }), { ...still, site: folder, ...options });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const published = (page) => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--published").trim());
/** A load that is broken off is a failure of its own. */
const quiet = (page) => page.waitForLoadState("networkidle");
const reload = (page) => quiet(page).then(() => page.reload());
const ready = (page) => page.locator("#verdict-now").waitFor();
/** Until the page is served by its worker, which then has the whole site. */
const served = (page) => page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
const caches = (page) => page.evaluate(async () => (await window.caches.keys()).sort());
/** Waits for something that the page can only be asked for again and again. */
const until = async (page, holds) => {
  for (let n = 0; n < 1_000 && !(await page.evaluate(holds)); n++) await page.evaluate(() => new Promise(requestAnimationFrame));
};
/**
 * Asks for the version published as `mark`, and waits until the page is of that. The browser puts the next worker in the place
 * of one that rests, and under a debugger, which drives this test, none ever counts as resting: here it is stopped instead.
 */
async function use(page, mark) {
  const debugged = await page.context().newCDPSession(page);
  const workers = new Map();
  debugged.on("ServiceWorker.workerVersionUpdated", ({ versions }) => versions.forEach((worker) => workers.set(worker.versionId, worker)));
  await debugged.send("ServiceWorker.enable");
  await page.getByRole("button", { name: "Use the newer version" }).press("Enter");
  let done = false;
  const used = page
    .waitForFunction((mark) => getComputedStyle(document.documentElement).getPropertyValue("--published").trim() === mark, mark)
    .then(() => (done = true));
  // Soon, unless it waits for that.
  const soon = () => Promise.race([used, new Promise((passed) => setTimeout(passed, 500))]);
  for (await soon(); !done; await soon()) {
    const of = (status) => [...workers.values()].find((worker) => worker.status === status);
    if (of("installed") && of("activated")) await debugged.send("ServiceWorker.stopWorker", { versionId: of("activated").versionId });
  }
  await debugged.detach();
  await ready(page);
}
const newer = (page) => page.getByText("A newer version of LeaseLab is ready.");
/** Looks for a newer version now; the browser itself does so when a page is opened. */
const look = (page) => page.evaluate(async () => void (await (await navigator.serviceWorker.getRegistration()).update()));

for (const prefix of ["/", "/courses/leaselab/"]) {
  test(`with the network cut the page under ${prefix} opens again, runs scenarios and shows recordings that were opened`, () =>
    hosted(async (page, { host }) => {
      await ready(page);
      await served(page);
      const open = async () => {
        await page.getByRole("button", { name: "What really happened" }).click();
        await page.locator("dialog summary").first().click();
        await page.locator("dialog .runs button").first().click();
        await page.getByRole("heading", { name: /^Recorded: real/ }).waitFor();
      };
      await open();
      await quiet(page);
      await host.cut();
      await page.reload();
      await ready(page);
      await page.getByRole("spinbutton", { name: "ttl in seconds" }).fill("300");
      await page.keyboard.press("Enter");
      await page.locator("#verdict", { hasText: /^No/ }).waitFor();
      await page.goto(new URL("./?embed=1", page.url()).href);
      await ready(page);
      await page.goto(new URL("./index.html#/settings", page.url()).href);
      await page.getByRole("heading", { name: "All settings" }).waitFor();
      await page.goto(new URL("./", page.url()).href);
      await ready(page);
      await open();
    }, { prefix }));
}

test("a newer version is offered in words, used when the person says so, and leaves nothing of the old one", () =>
  hosted(async (page, { publish }) => {
    await ready(page);
    await served(page);
    assert.equal(await newer(page).count(), 0, "the first version takes nobody's place");
    const before = await caches(page);
    publish("second");
    await look(page);
    await newer(page).waitFor();
    await page.getByRole("spinbutton", { name: "ttl in seconds" }).fill("45");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash.startsWith("#/lab/2/"));
    await reload(page);
    await newer(page).waitFor();
    assert.equal(await published(page), "first", "nothing is forced");
    await page.getByRole("button", { name: "Later" }).click();
    await newer(page).waitFor({ state: "detached" });
    await reload(page);
    await quiet(page);
    await use(page, "second");
    assert.equal(await page.getByRole("spinbutton", { name: "ttl in seconds" }).inputValue(), "45", "what was open is open");
    assert.equal(await newer(page).count(), 0);
    const after = await caches(page);
    assert.equal(after.filter((name) => name.includes(" site ")).length, 1);
    assert.notDeepEqual(after, before);
  }));

test("another page of the site goes on when a newer version is put in place, and is told", () =>
  hosted(async (page, { publish }) => {
    await ready(page);
    await served(page);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await ready(other);
    publish("second");
    await look(page);
    await quiet(page);
    await use(page, "second");
    assert.equal(await published(other), "first");
    await quiet(other);
    await use(other, "second");
  }));

test("a page under work starts no worker, and takes away what a finished one left", () =>
  hosted(async (page, { host }) => {
    await ready(page);
    await served(page);
    assert.equal((await caches(page)).length, 1);
    await host.becomes(process.env.SITE ?? fileURLToPath(new URL("../../target/site", import.meta.url)));
    await reload(page);
    await ready(page);
    await until(page, async () => (await window.caches.keys()).length === 0 && !(await navigator.serviceWorker.getRegistration()));
    await reload(page);
    await ready(page);
    assert.equal(await published(page), "");
    assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
  }));
