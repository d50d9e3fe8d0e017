// What a visitor downloads: node tools/sizes.mjs FOLDER. Ends with status 1 when the first load is over its limit.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const FIRST_LOAD_BROTLI_BYTES_BUDGET = 250_000;
// Above the budget, which is not reached yet, and just above what was: the first load may shrink and cannot grow unnoticed.
// Whoever makes it smaller lowers this.
const FIRST_LOAD_BROTLI_BYTES_MAX = 622_000;

const folder = process.argv[2];
const files = readdirSync(folder, { recursive: true })
  .map((name) => join(folder, name))
  .filter((path) => statSync(path).isFile())
  .sort();

const row = (raw, gzip, brotli, name) =>
  console.log([raw, gzip, brotli].map((cell) => String(cell).padStart(10)).join(""), "", name);

row("raw", "gzip", "brotli", "bytes");
const total = [0, 0, 0];
const later = [0, 0, 0];
for (const path of files) {
  const bytes = readFileSync(path);
  // The strongest settings: hosts compress static files once, ahead of time.
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length, brotli.length];
  // Fetched one by one, when somebody opens them.
  if (relative(folder, path).startsWith("recordings")) {
    sizes.forEach((size, column) => (later[column] += size));
    continue;
  }
  sizes.forEach((size, column) => (total[column] += size));
  row(...sizes, relative(folder, path));
}
row(...total, "first load");
row(...later, "recordings, all together; each is loaded when it is opened");

const [, , firstLoad] = total;
const distance = firstLoad - FIRST_LOAD_BROTLI_BYTES_BUDGET;
console.log(`first load: ${Math.abs(distance)} bytes ${distance > 0 ? "over" : "within"} the budget of ${FIRST_LOAD_BROTLI_BYTES_BUDGET} (brotli)`);

if (firstLoad > FIRST_LOAD_BROTLI_BYTES_MAX) {
  console.error(`LeaseLab: the first load is ${firstLoad} bytes (brotli), over its limit of ${FIRST_LOAD_BROTLI_BYTES_MAX}`);
  process.exit(1);
}
