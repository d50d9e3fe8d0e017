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
// In the order of the scenarios' numbers, with the runs of one fault together, as the page shows them.
const order = ({ scenario, variant, params, set, id }) => `${scenario} ${params.failsafe} ${variant} ${set} ${id}`;
index.sort((a, b) => order(a).localeCompare(order(b), "en", { numeric: true }));
writeFileSync(join(to, "index.json"), JSON.stringify(index));
