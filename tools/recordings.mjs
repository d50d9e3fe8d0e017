// Puts the recorded runs beside the page: node tools/recordings.mjs FOLDER. One file each, fetched only when somebody opens
// it, and index.json, from which the page lists them.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const from = new URL("../tests/recordings/", import.meta.url);
const to = process.argv[2];

mkdirSync(to, { recursive: true });
const index = readdirSync(from)
  .filter((name) => name.endsWith(".json"))
  .sort()
  .map((name) => {
    const text = readFileSync(new URL(name, from), "utf8");
    writeFileSync(join(to, name), text);
    const { id, scenario, variant, set, params } = JSON.parse(text);
    return { id, scenario, variant, set, params };
  });
writeFileSync(join(to, "index.json"), JSON.stringify(index));
