//! Measures the loops and writes the tables, natively and in the browser alike; only the stopwatch differs.

use crate::loops::{BARE_HEAP_MS, HOUR, LOOPS, Loop, MINUTE, quiet};
use leaselab::engine::Span;
use leaselab::scenario::Scenario;
use leaselab::verdict::{Rerun, judge};

const REPETITIONS: usize = 15;

/// `now` is a stopwatch in milliseconds.
pub fn report(now: &dyn Fn() -> f64) -> String {
    [loops(now), against_time(now), against_members(now), changes(now)].join("\n")
}

/// What a change of a fault costs with the full trace: from the beginning, and from the last mark before the change.
fn changes(now: &dyn Fn() -> f64) -> String {
    let whole = |scenario: &Scenario| {
        let mut rerun = Rerun::new(scenario);
        rerun.run_until(rerun.end());
        rerun
    };
    let mut table = format!(
        "{:<42}{:>14}{:>14}{:>10}\n",
        "a fault moved in a run, ms", "from 0", "from a mark", "ratio"
    );
    for (minutes, percent) in [(2, 50), (10, 50), (10, 90), (60, 90)] {
        let at = minutes * 60 * percent / 100;
        let with = |at: u32| {
            let text = format!(
                "duration_s = {}\n[[fault]]\nat_s = {at}\nfor_s = 20\nkind = \"pause\"\ntarget = \"node1\"\n",
                minutes * 60
            );
            Scenario::parse(&text, "bench").unwrap_or_default()
        };
        let (before, after) = (with(at), with(at + 1));
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..5 {
            let marked = whole(&before);
            let start = now();
            let afresh = whole(&after);
            times[0].push(now() - start);
            let start = now();
            let mut again = marked.again(&after);
            again.run_until(again.end());
            times[1].push(now() - start);
            drop((afresh, again));
        }
        times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
        let [afresh, again] = times.map(|times| times[times.len() / 2]);
        let name = format!("{minutes} min, at {percent} %");
        table += &format!("{name:<42}{afresh:>14.1}{again:>14.1}{:>10.2}\n", again / afresh);
    }
    table
}

/// How long one run took, in ms, and how many events it made.
fn measure(now: &dyn Fn() -> f64, run: impl Fn() -> u32) -> (f64, u32) {
    let before = now();
    let events = run();
    (now() - before, events)
}

/// Every loop in turn, and that many times over: what else the machine does meanwhile then disturbs all alike.
fn loops(now: &dyn Fn() -> f64) -> String {
    let mut times = [(); LOOPS.len()].map(|()| Vec::new());
    let mut events = [0; LOOPS.len()];
    // Once unmeasured: a browser compiles what runs often a second time.
    for round in 0..=REPETITIONS {
        for (n, Loop { run, .. }) in LOOPS.iter().enumerate() {
            let (ms, made) = measure(now, run);
            events[n] = made;
            if round > 0 {
                times[n].push(ms);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    let median = |n: usize| times[n][REPETITIONS / 2];
    let mut table = format!(
        "{:<42}{:>9}{:>18}{:>10}{:>10}{:>8}{:>8}{:>22}\n",
        format!("median of {REPETITIONS}"),
        "ms",
        "least to most",
        "events",
        "ns/event",
        "M/s",
        "heaps",
        "budget in a browser"
    );
    for (n, Loop { name, budget, .. }) in LOOPS.iter().enumerate() {
        let (ms, heaps) = (median(n), median(n) / median(0));
        let spread = format!("{:.1} to {:.1}", times[n][0], times[n][REPETITIONS - 1]);
        let budget = budget.for_events(events[n]).map_or_else(String::new, |ms| {
            let heaps = ms / BARE_HEAP_MS;
            format!("{ms:.1} ms, {heaps:.1} heaps")
        });
        let cost = cost(ms, events[n]);
        table += &format!("{name:<42}{ms:>9.1}{spread:>18}{cost}{heaps:>8.1}{budget:>22}\n");
    }
    table
}

/// Three columns: events, nanoseconds for each, millions in a second.
fn cost(ms: f64, events: u32) -> String {
    let each = ms * 1e6 / f64::from(events);
    format!("{events:>10}{each:>10.0}{:>8.2}", 1e3 / each)
}

/// The median of three runs of a quiet cluster.
fn row(now: &dyn Fn() -> f64, name: &str, duration: Span, members: u8) -> String {
    let scenario = quiet(duration, members);
    let mut runs = [(); 3].map(|()| measure(now, || judge(&scenario).events));
    runs.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (ms, events) = runs[1];
    format!("{name:<10}{ms:>9.1}{}\n", cost(ms, events))
}

fn heading(what: &str) -> String {
    format!(
        "verdict only\n{what:<10}{:>9}{:>10}{:>10}{:>8}\n",
        "ms", "events", "ns/event", "M/s"
    )
}

/// A longer run must cost no more for each event than a short one.
fn against_time(now: &dyn Fn() -> f64) -> String {
    let times = [
        ("1 min", MINUTE),
        ("10 min", MINUTE * 10),
        ("1 h", HOUR),
        ("6 h", HOUR * 6),
        ("24 h", HOUR * 24),
    ];
    let rows = times.map(|(name, duration)| row(now, name, duration, 3));
    heading("simulated") + &rows.concat()
}

/// More members make more events, and each of those should cost the same.
fn against_members(now: &dyn Fn() -> f64) -> String {
    let rows = (1..=7).map(|members| row(now, &members.to_string(), HOUR, members));
    heading("members") + &rows.collect::<String>()
}
