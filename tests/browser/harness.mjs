// Opens the built page in a real browser with a fresh profile, and keeps everything that went wrong there.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "../../tools/serve.mjs";

const project = new URL("../../", import.meta.url);
const path = (name) => fileURLToPath(new URL(name, project));

// The wasm tests start their browser with the same arguments.
const { args } = JSON.parse(readFileSync(path("webdriver.json")))["goog:chromeOptions"];

/**
 * Runs `body(page, problems, host)` on the page as a first-time visitor finds it, and fails when the browser reported an error,
 * a file was missing, or anything was asked of another host. A test that causes such a thing on purpose takes it out of
 * `problems`. `site` is the folder that is served, `prefix` the folder of the host that it lies in, `hash` what follows
 * that in the address; the other options are Playwright's for a context (viewport, colorScheme, reducedMotion and the
 * like). `host` can cut the network, and serve another folder under the same address.
 */
export async function visit(body, { site = process.env.SITE ?? path("target/site"), prefix = "/", hash = "", ...options } = {}) {
  const executablePath = process.env.CHROME || execFileSync(path("tools/need.sh"), ["chrome"]).toString().trim();
  const browser = await chromium.launch({ executablePath, args });
  let server;
  try {
    server = await serve(site, 0, prefix);
    const { port } = server.address();
    const origin = `http://127.0.0.1:${port}`;
    const host = {
      async cut() {
        server.closeAllConnections();
        await new Promise((closed) => server.close(closed));
      },
      async becomes(folder) {
        await host.cut();
        server = await serve(folder, port, prefix);
      },
    };
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const problems = watch(context, origin);
    // The browser reports most violations on its console as well, but not those that it was told to expect.
    await context.addInitScript(() =>
      document.addEventListener("securitypolicyviolation", (event) =>
        console.error(`policy: ${event.violatedDirective} does not allow ${event.blockedURI} (${event.sourceFile}:${event.lineNumber})`),
      ),
    );
    const page = await context.newPage();
    await page.goto(origin + prefix + hash);
    // What the browser said usually explains why the body failed, so it is told in both cases.
    const failure = await body(page, problems, host).then(() => undefined, (error) => error);
    const report = problems.length > 0 ? `the browser reported:\n${problems.join("\n")}` : "";
    if (failure || report) throw new Error([failure?.message, report].filter(Boolean).join("\n"), { cause: failure });
  } finally {
    await browser.close();
    server?.close();
  }
}

/** Collects what no visit may cause. A page's workers report to the page's console, so they are heard too. */
function watch(context, origin) {
  const problems = [];
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => problems.push(`uncaught: ${error.error().stack ?? error.error()}`));
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !["data:", "blob:"].includes(url.protocol)) problems.push(`foreign request: ${url}`);
  });
  context.on("requestfailed", (request) => {
    const error = request.failure()?.errorText;
    // A page that is left gives up what it was still loading; that is the browser's doing, and no file is missing.
    if (error !== "net::ERR_ABORTED") problems.push(`failed: ${request.url()} ${error}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) problems.push(`status ${response.status()}: ${response.url()}`);
  });
  return problems;
}
