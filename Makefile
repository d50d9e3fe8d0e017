# LeaseLab. `make run` opens the page, `make test` checks everything, `make dist` writes the site to host.

# Cargo locks its target folder, so recipes side by side would only wait for each other.
.NOTPARALLEL:

PORT ?= 8080
TARGET := $(or $(CARGO_TARGET_DIR),target)
WASM := --target wasm32-unknown-unknown
NPM := tests/browser/node_modules/.package-lock.json

# wasm-bindgen's tool and library must be the same version to the last digit, so the lock file decides for both.
BINDGEN_VERSION := $(shell sed -n '/^name = "wasm-bindgen"$$/{n;s/version = "\(.*\)"/\1/p;}' Cargo.lock)
WASM_PACK := .tools/wasm-pack-0.15.1
BINDGEN := .tools/wasm-bindgen-$(BINDGEN_VERSION)
export PATH := $(CURDIR)/.tools/bin:$(PATH)

.PHONY: run test lint test-native test-wasm test-browser evidence bench page dist clean basics

run: page
	exec node tools/serve.mjs $(TARGET)/site $(PORT)

test: lint test-native test-wasm test-browser

lint: basics
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	cargo clippy --all-targets $(WASM) -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --lib $(WASM)

test-native: basics
	cargo test

# The random schedules many times over and the model checker within wider bounds: some minutes, 4 GB.
evidence: basics
	LEASELAB_EVIDENCE=1 cargo test --test raft_properties --test raft_stateright --test never_two -- --nocapture

# What the engine costs, natively and in the browser. Reports and never fails: a busy machine is not a fault.
bench: basics $(BINDGEN) $(NPM)
	tools/bench.sh

test-wasm: $(WASM_PACK) $(BINDGEN)
	tools/test-wasm.sh

# TAP, because its closing lines read the same for people and for machines on every version of Node.
test-browser: page $(NPM)
	SITE="$(abspath $(TARGET)/site)" node --test --test-reporter=tap tests/browser/*.test.mjs

page: basics $(BINDGEN)
	tools/page.sh page $(TARGET)/site

# -O3, not -Oz: both come to the same size once compressed, and the engine is what needs to be fast. Which features the module
# uses is written in it, so no flags have to repeat it.
dist: basics $(BINDGEN) $(NPM)
	tools/page.sh release dist
	tests/browser/node_modules/.bin/wasm-opt -O3 dist/pkg/leaselab_bg.wasm -o dist/pkg/leaselab_bg.wasm
	node tools/offline.mjs dist
	node tools/sizes.mjs dist

clean:
	rm -rf $(TARGET) dist

basics:
	@tools/need.sh basics

# One stamp for each version: a new version has no stamp yet, and installing it removes the old one's.
.tools/wasm-pack-%: | basics
	cargo install wasm-pack --version $* --locked --root .tools
	rm -f .tools/wasm-pack-* && touch $@

.tools/wasm-bindgen-%: | basics
	cargo install wasm-bindgen-cli --version $* --root .tools
	rm -f .tools/wasm-bindgen-* && touch $@

# npm writes this file last, so it is newer than the lock exactly when the folder holds what the lock says.
$(NPM): tests/browser/package-lock.json tests/browser/package.json
	npm --prefix tests/browser ci --no-audit --no-fund
	touch $@
