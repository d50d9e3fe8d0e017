#!/usr/bin/env bash
# Makes sure that something outside the project's own folder is there: installs it where that is harmless (as root,
# from the system's packages), and says what to install where it is not. `chrome` and `driver` print the path.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "LeaseLab: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# Only root may install packages, and nobody wants a build to ask for a password.
packages() {
  if [ "$(id -u)" = 0 ] && have apt-get; then
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "$@"; } >&2
  else
    fail "missing: $*. On Debian: sudo apt-get install $*. $elsewhere"
  fi
}

# A path given by hand is taken as it is: falling back to another browser would hide a typing error.
program() { # the variable's name, its value, the package, the names to look for
  local variable=$1 given=$2 package=$3 name
  shift 3
  if [ -n "$given" ]; then
    have "$given" || fail "$variable=$given is not a program that can be run"
    command -v "$given"
    return
  fi
  for name in "$@"; do have "$name" && command -v "$name" && return; done
  elsewhere="Elsewhere: install it and name it with $variable=/path/to/it."
  packages "$package"
  command -v "$1" || fail "the package $package brought no $1; name one with $variable=/path/to/it"
}

case ${1-} in
  basics)
    have rustup || fail "rustup is missing: see https://rustup.rs"
    have node && have npm || fail "Node 18.17 or newer, with npm, is missing: see https://nodejs.org"
    [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || fail "Node 18.17 or newer is needed, this is $(node --version)"
    elsewhere="Elsewhere: install a C compiler, Rust links with it."
    have cc || packages gcc libc6-dev
    channel=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
    # Asking first keeps a second run off the network, and asking without installing lets the installation be seen.
    installed=$(RUSTUP_AUTO_INSTALL=0 rustup component list --installed --toolchain "$channel" 2>/dev/null || true)
    for part in rustfmt clippy rust-std-wasm32-unknown-unknown; do
      [[ $installed == *$part* ]] && continue
      rustup toolchain install "$channel" --profile minimal --component rustfmt,clippy --target wasm32-unknown-unknown
      break
    done
    ;;
  chrome) program CHROME "${CHROME-}" chromium chromium chromium-browser google-chrome-stable google-chrome ;;
  driver) program CHROMEDRIVER "${CHROMEDRIVER-}" chromium-driver chromedriver ;;
  *) fail "usage: tools/need.sh basics|chrome|driver" ;;
esac
