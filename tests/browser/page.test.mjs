import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.mjs";

for (const prefix of ["/", "/courses/leaselab/"]) {
  test(`the page opens under ${prefix} and its worker answers`, () =>
    visit(
      async (page) => {
        assert.equal(await page.title(), "LeaseLab");
        await page.getByText(/^Engine .* is ready\.$/).waitFor();
      },
      { prefix },
    ));
}
