// What a visitor downloads: node tools/sizes.mjs FOLDER. Ends with status 1 when it is more than the budget.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const FIRST_LOAD_BROTLI_BYTES_MAX = 250_000;

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

if (total[2] > FIRST_LOAD_BROTLI_BYTES_MAX) {
  console.error(`LeaseLab: the first load is ${total[2]} bytes (brotli), over its budget of ${FIRST_LOAD_BROTLI_BYTES_MAX}`);
}
