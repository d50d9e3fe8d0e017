//! `make bench`: natively criterion's statistics, which compare a run with the one before, and the tables; in the browser
//! the tables.
//!
//! Cargo's own benches unwind where the page aborts, so this is an example, built with the page's profile.

mod loops;
mod tables;

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use std::time::{Duration, Instant};
    let mut criterion = criterion::Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    for loops::Loop { name, run, .. } in loops::LOOPS {
        criterion.bench_function(name, |bencher| bencher.iter(run));
    }
    criterion.final_summary();
    let start = Instant::now();
    println!("{}", tables::report(&|| start.elapsed().as_secs_f64() * 1e3));
}

#[cfg(target_arch = "wasm32")]
fn main() {}

/// The tables. `now` is a stopwatch in milliseconds, as `performance.now` is.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn report(now: &js_sys::Function) -> String {
    let stopwatch = || now.call0(&wasm_bindgen::JsValue::NULL).ok().and_then(|ms| ms.as_f64());
    tables::report(&|| stopwatch().unwrap_or(f64::NAN))
}
