#!/usr/bin/env bash
# Runs tests/browser.rs, as WebAssembly, in the browser that the tests of the page use.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}

# Assigned apart from `export`, which would hide a failure.
CHROME=$(tools/need.sh chrome)
driver=$(tools/need.sh driver)
export CHROME

# Left to itself the driver takes the first browser that it knows a place for.
mkdir -p "$target"
node -p 'const settings = JSON.parse(fs.readFileSync("webdriver.json"));
  settings["goog:chromeOptions"].binary = process.env.CHROME; JSON.stringify(settings)' >"$target/webdriver.json"
export WASM_BINDGEN_TEST_WEBDRIVER_JSON
WASM_BINDGEN_TEST_WEBDRIVER_JSON=$(realpath "$target/webdriver.json")

# What the native engine makes of every shipped scenario, for the test in the browser to compare itself with.
cargo build --quiet
NATIVE_HASHES=$(for file in lessons/scenarios/*.toml; do
  hash=$("$target/debug/leaselab" run "$file" --json | node -p 'JSON.parse(fs.readFileSync(0)).trace_hash')
  printf '%s=%s ' "$(basename "$file" .toml)" "$hash"
done)
export NATIVE_HASHES

# Left to itself wasm-pack fetches a driver and a wasm-bindgen of its own: the mode forbids it.
exec wasm-pack test --mode no-install --headless --chrome --chromedriver "$driver"
