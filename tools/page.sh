#!/usr/bin/env bash
# Builds the page: tools/page.sh PROFILE FOLDER. `make run`, the browser tests and `make dist` all come through here,
# so what is tested is put together in the same way as what is hosted.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=$1 out=$2
target=${CARGO_TARGET_DIR:-target}

# The module alone: built as a library for Rust at the same time, everything public would have to stay in it, and nothing
# that is called only once could be merged into its caller (47 kB compressed).
cargo rustc --lib --crate-type cdylib --target wasm32-unknown-unknown --profile "$profile"
# Emptied only now: a build that fails leaves the last good page being served.
rm -rf "$out"
mkdir -p "$out"
cp -r static/. "$out"
node tools/recordings.mjs "$out/recordings"
wasm-bindgen --target web --no-typescript --out-dir "$out/pkg" \
  "$target/wasm32-unknown-unknown/$profile/leaselab.wasm"
