#!/usr/bin/env bash
# Builds the page: tools/page.sh PROFILE FOLDER. `make run`, the browser tests and `make dist` all come through here,
# so what is tested is put together in the same way as what is hosted.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=$1 out=$2
target=${CARGO_TARGET_DIR:-target}

cargo build --lib --target wasm32-unknown-unknown --profile "$profile"
# Emptied only now: a build that fails leaves the last good page being served.
rm -rf "$out"
mkdir -p "$out"
cp -r static/. "$out"
node tools/recordings.mjs "$out/recordings"
wasm-bindgen --target web --no-typescript --out-dir "$out/pkg" \
  "$target/wasm32-unknown-unknown/$profile/leaselab.wasm"
