// What people with a screen reader, a keyboard, or weak eyes need. The rules of WCAG 2.2 AA that a program can check are
// checked by axe-core in each view; it is evaluated by the browser's own tools, so the page's policy stays as it is.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { visit } from "./harness.mjs";
import { VIEWS } from "./views.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((values) => window.axe.run(document, { runOnly: { type: "tag", values } }), LEVELS);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}): ${target.join(" ")}: ${failureSummary.replaceAll("\n", " ")}`),
  );
}

for (const { name, options, open } of VIEWS) {
  test(`no violation of WCAG 2.2 AA or of the page's policy: ${name}`, () =>
    visit(async (page) => {
      await open(page);
      const found = await violations(page);
      assert.equal(found.length, 0, `${found.length} violations:\n${found.slice(0, 20).join("\n")}`);
    }, options));
}

/** Marks every control that can be used now, and gives how many there are. Of a group of radio buttons Tab reaches one. */
const mark = () => {
  const seen = new Set();
  const dialog = document.querySelector("dialog[open]");
  const controls = [...(dialog ?? document).querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")];
  const usable = controls.filter((control) => {
    if (control.disabled || !control.checkVisibility({ visibilityProperty: true })) return false;
    if (control.type !== "radio") return true;
    if (seen.has(control.name)) return false;
    return seen.add(control.name);
  });
  window.unreached = new Set(usable.map((control) => (control.type === "radio" ? control.name : control)));
  return window.unreached.size;
};

/** Crosses off what has the focus now; says whether anything has it, and whether that can be seen. */
const cross = () => {
  const control = document.activeElement;
  if (!control || control === document.body) return { at: "" };
  window.unreached.delete(control.type === "radio" ? control.name : control);
  const rings = [control, control.nextElementSibling].filter(Boolean).map((element) => {
    const style = getComputedStyle(element);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  });
  // A radio button of a switch is drawn by the span after it.
  const visible = rings[0] || (control.type === "radio" && rings[1]);
  return { at: control.outerHTML.slice(0, 120), visible };
};

for (const { name, options, open } of VIEWS.filter(({ name }) => name.endsWith("light"))) {
  test(`every control is reached by Tab and shows its focus: ${name}`, () =>
    visit(async (page) => {
      await open(page);
      const controls = await page.evaluate(mark);
      assert.ok(controls > 0);
      const hidden = new Set();
      // Rows of the event list come and go while one walks through it.
      for (let n = 0; n < controls * 2 + 40; n++) {
        await page.keyboard.press("Tab");
        const { at, visible } = await page.evaluate(cross);
        if (at && !visible) hidden.add(at);
        if (n >= controls && (await page.evaluate(() => window.unreached.size)) === 0) break;
      }
      const missed = await page.evaluate(() => [...window.unreached].filter((what) => what.isConnected !== false).map((what) => what.outerHTML ?? what));
      assert.deepEqual(missed, []);
      assert.deepEqual([...hidden], []);
    }, options));
}
