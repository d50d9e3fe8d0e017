// The content security policy: what it says, and that it holds. `visit` fails on every violation and on every request to
// another host, so each test of the page shows that it works under the policy; accessible.test.mjs goes through all views.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

test("the page carries a policy that allows its own files and WebAssembly, and nothing else", () =>
  visit(async (page) => {
    await page.locator("#verdict-now").waitFor();
    const policy = await page.locator("meta[http-equiv='Content-Security-Policy']").getAttribute("content");
    const directives = Object.fromEntries(policy.split(";").map((part) => part.trim().split(/ (.*)/s, 2)));
    assert.deepEqual(directives, {
      "default-src": "'none'",
      "object-src": "'none'",
      "script-src": "'self' 'wasm-unsafe-eval'",
      "worker-src": "'self'",
      "style-src": "'self'",
      "img-src": "'self' data:",
      "connect-src": "'self'",
      "font-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'none'",
    });
  }));

test("the policy holds: a script, a style and a request that it does not allow are refused, and the tests hear of it", () =>
  visit(async (page, problems) => {
    await page.locator("#verdict-now").waitFor();
    await page.evaluate(async () => {
      window.heard = [];
      document.addEventListener("securitypolicyviolation", (event) => window.heard.push(event.effectiveDirective));
      document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = true" }));
      document.body.insertAdjacentHTML("beforeend", "<p style='color: red'></p>");
      await fetch("https://elsewhere.example/").catch(() => {});
    });
    await page.waitForFunction(() => window.heard.length === 3);
    const directives = ["connect-src", "script-src-elem", "style-src-attr"];
    assert.deepEqual(await page.evaluate(() => [window.heard.sort(), window.ran]), [directives, undefined]);
    for (const directive of directives) assert.ok(problems.some((problem) => problem.includes(`policy: ${directive}`)), directive);
    // All of it was meant.
    problems.length = 0;
  }));
