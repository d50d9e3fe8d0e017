// A static file server for this machine only: node tools/serve.mjs FOLDER [PORT]. It does what any static host does and
// no more, so that a page that works here works there.
import { readFile, realpath } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".toml": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

/** Serves `folder` under `prefix` ("/" or "/some/folder/"); resolves to the listening server. Port 0 takes a free one. */
export async function serve(folder, port = 0, prefix = "/") {
  const root = await realpath(folder);
  const server = createServer(async (request, response) => {
    const found = await read(root, prefix, request.url);
    if (!found) return response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
    response.writeHead(200, {
      "content-type": TYPES[extname(found.file)] ?? "application/octet-stream",
      "cache-control": "no-store", // the next build must be seen by the next reload
      "x-content-type-options": "nosniff",
    });
    response.end(found.bytes);
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  return server;
}

/** The file a request means, or nothing. The real path is compared, because links and `..` can both lead out of the root. */
async function read(root, prefix, url) {
  try {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    if (!path.startsWith(prefix)) return;
    const file = await realpath(join(root, path.slice(prefix.length), path.endsWith("/") ? "index.html" : ""));
    if (file.startsWith(root + sep)) return { file, bytes: await readFile(file) };
  } catch {
    // A name that cannot be decoded, does not exist or is a folder is not found, like any other.
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder, port = "8080"] = process.argv.slice(2);
  try {
    const server = await serve(folder, Number(port));
    console.log(`LeaseLab is at http://127.0.0.1:${server.address().port}/ (Ctrl-C ends it)`);
  } catch (error) {
    const why = error.code === "EADDRINUSE" ? `port ${port} is taken; choose another with PORT=` : error.message;
    console.error(`LeaseLab: ${why}`);
    process.exit(1);
  }
}
