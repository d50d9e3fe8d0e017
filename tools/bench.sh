#!/usr/bin/env bash
# Measures the engine natively and in the browser, both built as `make dist` builds the page.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
site=$target/bench-site

# Without the argument criterion only tries whether everything runs.
cargo run --release --example bench -- --bench

cargo build --release --example bench --target wasm32-unknown-unknown
wasm-bindgen --target web --no-typescript --out-dir "$site" "$target/wasm32-unknown-unknown/release/examples/bench.wasm"
tests/browser/node_modules/.bin/wasm-opt -O3 "$site/bench_bg.wasm" -o "$site/bench_bg.wasm"
printf '<!doctype html><title>Bench</title><link rel="icon" href="data:,">' >"$site/index.html"
SITE=$(realpath "$site") node tests/browser/bench.mjs

make page
SITE=$(realpath "$target/site") node tests/browser/bench_page.mjs
