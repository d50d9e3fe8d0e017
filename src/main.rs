//! The command line.

#[cfg(not(target_arch = "wasm32"))]
fn main() {}

/// There is no command line in a browser, but the tests there are built with every target of the package.
#[cfg(target_arch = "wasm32")]
fn main() {}
