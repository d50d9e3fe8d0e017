// Makes a built site work offline: node tools/offline.mjs FOLDER. Writes into its service worker what the site consists
// of, with a hash of each file and a version over all of them, and tells the page to start it. Done last, when no file
// changes any more; doing it again after a change gives the next version.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";

const folder = process.argv[2];
const WORKER = "offline.js";
const META = '<meta name="offline" content="yes">';

const read = (path) => readFileSync(join(folder, path));
const sha256 = (bytes) => createHash("sha256").update(bytes);

const page = read("index.html").toString();
if (!page.includes(META)) writeFileSync(join(folder, "index.html"), page.replace("</title>", `</title>\n    ${META}`));

const files = readdirSync(folder, { recursive: true })
  .filter((path) => statSync(join(folder, path)).isFile())
  .map((path) => path.split(sep).join("/"))
  .sort();
const hash = (paths) => {
  const whole = sha256("");
  for (const path of paths) whole.update(`${path}\n`).update(sha256(read(path)).digest());
  return whole.digest("hex").slice(0, 16);
};

// Recordings are fetched one by one, when they are opened, and kept then.
const recordings = files.filter((path) => path.startsWith("recordings/"));
const site = files.filter((path) => !recordings.includes(path) && path !== WORKER);
const hashes = Object.fromEntries(
  // A page is asked for by its folder: some hosts lead from its name to that.
  site.map((path) => [`./${path === "index.html" ? "" : path}`, `sha256-${sha256(read(path)).digest("base64")}`]),
);

const constants = { VERSION: hash(site), RECORDINGS: hash(recordings), FILES: hashes };
let worker = read(WORKER).toString();
for (const [name, value] of Object.entries(constants)) {
  const line = new RegExp(`^const ${name} = .*;$`, "m");
  if (!line.test(worker)) throw new Error(`${WORKER} has no line for ${name}`);
  worker = worker.replace(line, () => `const ${name} = ${JSON.stringify(value)};`);
}
writeFileSync(join(folder, WORKER), worker);
console.log(`offline: version ${constants.VERSION}, ${site.length} files`);
