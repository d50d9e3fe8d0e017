//! What only a browser can show about the library.
#![cfg(target_arch = "wasm32")]

use leaselab::draw::Remark;
use leaselab::engine::{SimTime, Span};
use leaselab::exchange::link::{Link, read, write};
use leaselab::scenario::{FAULTS, FIELDS, FieldKind, SHIPPED, Scenario};
use leaselab::verdict::run;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// `name=hash` of every shipped scenario as the native command line has just run it; `make test-wasm` puts it there.
const NATIVE_HASHES: Option<&str> = option_env!("NATIVE_HASHES");

#[wasm_bindgen_test]
fn every_shipped_scenario_runs_in_the_browser_event_for_event_as_it_does_natively() {
    let natively = NATIVE_HASHES.expect("NATIVE_HASHES is set by `make test-wasm`");
    let mut compared = 0;
    for (name, text) in SHIPPED {
        let scenario = Scenario::parse(text, name).expect("valid");
        let hash = run(&scenario).verdict.trace_hash.expect("a full run has one");
        assert!(
            natively.split_whitespace().any(|pair| pair == format!("{name}={hash}")),
            "{name}: {hash} here, natively among {natively}"
        );
        compared += 1;
    }
    assert_eq!(compared, natively.split_whitespace().count());
}

#[wasm_bindgen_test]
fn the_engine_in_the_browser_has_the_version_of_the_package() {
    assert_eq!(leaselab::VERSION, env!("CARGO_PKG_VERSION"));
}

/// Numbers that only look random: proptest is not there in the browser.
struct Dice(u64);

impl Dice {
    fn up_to(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % (most + 1)
    }
}

/// Another scenario: settings from all over their ranges, faults of any kind.
fn experiment(dice: &mut Dice) -> Scenario {
    let (name, text) = SHIPPED[dice.up_to(SHIPPED.len() as u64 - 1) as usize];
    let mut scenario = Scenario::parse(text, name).expect("valid");
    for _ in 0..dice.up_to(12) {
        let field = &FIELDS[dice.up_to(FIELDS.len() as u64 - 1) as usize];
        let value = match field.kind {
            FieldKind::Number { .. } => dice.up_to(100).to_string(),
            FieldKind::Choice(words) => words[dice.up_to(words.len() as u64 - 1) as usize].to_owned(),
            FieldKind::Flag => (dice.up_to(1) == 1).to_string(),
            _ => format!("\"{} ü→ #\\\\ \"", dice.up_to(9)),
        };
        // What is not possible changes nothing.
        let _ = scenario.set(field.key, &value);
    }
    let spec = &FAULTS[dice.up_to(FAULTS.len() as u64 - 1) as usize];
    let with_fault = format!("{}{}", scenario.to_toml(), spec.example);
    Scenario::parse(&with_fault, "with a fault").unwrap_or(scenario)
}

#[wasm_bindgen_test]
fn two_hundred_experiments_come_back_from_their_links_in_the_browser() {
    let mut dice = Dice(20);
    let mut links = std::collections::BTreeSet::new();
    while links.len() < 200 {
        let scenario = experiment(&mut dice);
        let end = SimTime::ZERO + scenario.duration;
        let at = SimTime(dice.up_to(end.0));
        let remarks: Vec<Remark> = (0..dice.up_to(3))
            .filter_map(|n| Remark::new(at, &format!("note {n} <b>ü</b> \u{7}")))
            .collect();
        let link = Link {
            name: "steady-state".to_owned(),
            at,
            from: SimTime(dice.up_to(end.0)),
            span: Some(Span(1 + dice.up_to(90_000_000))),
            lanes: Default::default(),
            clock: None,
            remarks,
            before: (dice.up_to(3) == 0).then(|| experiment(&mut dice)),
            scenario,
        };
        let fragment = write(&link);
        let read = read(&fragment).expect("just written");
        assert_eq!((read.link, read.told.len()), (link, 0));
        links.insert(fragment);
    }
}
