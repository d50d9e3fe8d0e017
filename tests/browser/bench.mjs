// Runs the benches' tables in the browser of the tests; tools/bench.sh has built them.
import { visit } from "./harness.mjs";

await visit(async (page) => {
  const tables = await page.evaluate(async () => {
    const { default: init, report } = await import("/bench.js");
    await init();
    return report(() => performance.now());
  });
  console.log(`in the browser\n${tables}`);
});
