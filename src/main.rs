//! The command line. Exit status: 0 fine, 1 what was asked about does not hold, 2 bad input, with one line on standard
//! error that says what, where and what to do.

#[cfg(not(target_arch = "wasm32"))]
mod cli;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    cli::main()
}

/// There is no command line in a browser, but the tests there are built with every target of the package.
#[cfg(target_arch = "wasm32")]
fn main() {}
