#![cfg(not(target_arch = "wasm32"))]
//! The engine against the recorded runs of the real software in `tests/recordings/`.

use leaselab::compare::{Comparison, Rebuilt, Recording, SEEDS, known_misfits_table};
use std::fs;
use std::path::Path;
use std::thread::available_parallelism;

fn recordings() -> Vec<Recording> {
    Recording::read_all(Path::new("tests/recordings")).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_engine_tells_the_recorded_stories_but_for_what_is_known() {
    let threads = available_parallelism().map_or(1, usize::from);
    let comparison = Comparison::of(&recordings(), SEEDS, threads);
    println!("{}", comparison.to_text());
    let news: Vec<String> = comparison
        .unknown()
        .map(|line| format!("{} {}: {} is {:?}", line.run, line.figure, line.recorded, line.judged))
        .collect();
    assert!(news.is_empty(), "these do not fit:\n{}", news.join("\n"));
    let outdated = comparison.outdated();
    assert!(outdated.is_empty(), "these misfits are known, but fit: {outdated:#?}");
    let unbuilt = &comparison.unbuilt;
    assert!(unbuilt.is_empty(), "these cannot be rebuilt: {unbuilt:?}");
}

#[test]
fn every_recording_is_rebuilt_as_a_scenario_that_reads_back() {
    for recording in recordings() {
        let rebuilt = Rebuilt::of(&recording).unwrap_or_else(|why| panic!("{}: {why}", recording.id));
        let text = rebuilt.scenario.to_toml();
        let back = leaselab::scenario::Scenario::parse(&text, &recording.id);
        assert_eq!(back.as_ref(), Ok(&rebuilt.scenario), "{}", recording.id);
    }
}

#[test]
fn the_readme_lists_the_known_misfits_as_the_comparison_has_them() {
    let readme = fs::read_to_string("README.md").expect("README.md is there");
    assert!(
        readme.contains(&known_misfits_table()),
        "README.md should contain:\n\n{}",
        known_misfits_table()
    );
}

#[test]
fn what_is_no_recording_is_refused_with_its_place_and_reason() {
    let folder = std::env::temp_dir().join(format!("leaselab-recordings-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the test");
    let refused = |text: Option<&str>| {
        let file = folder.join("s1.json");
        let _ = fs::remove_file(&file);
        if let Some(text) = text {
            fs::write(&file, text).expect("a file for the test");
        }
        Recording::read_all(&folder).expect_err("refused").to_string()
    };
    assert!(refused(None).contains("no recorded run (*.json) in it"));
    assert!(refused(Some("{}")).contains("s1.json: not a recorded run: missing field `id`"));
    let known = fs::read_to_string("tests/recordings/s1-fast-01.json").expect("it is there");
    let without = known.replace("\"pg3\"", "\"pg4\"");
    assert!(
        refused(Some(&without)).contains("pg4 is not one of pg1, pg2, pg3"),
        "{}",
        refused(Some(&without))
    );
    fs::remove_dir_all(&folder).expect("the folder goes");
}
