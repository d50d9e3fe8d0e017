// Compiles the engine once and hands it to the page, which posts the same compiled module to its workers.
import init, { start_page } from "./pkg/leaselab.js";
import { keepOffline } from "./update.js";

const here = (path) => new URL(path, import.meta.url);

async function compile() {
  const response = await fetch(here("./pkg/leaselab_bg.wasm"));
  if (!response.ok) throw new Error(`the engine could not be fetched (status ${response.status})`);
  // Some static hosts do not know the type of wasm files, and only the right type may be compiled while it arrives.
  return response.headers.get("content-type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

try {
  const module = await compile();
  await init({ module_or_path: module });
  start_page(module, here("./worker.js").href);
  keepOffline();
} catch (error) {
  document.getElementById("page").textContent = `LeaseLab could not start: ${error.message ?? error}`;
  throw error;
}
