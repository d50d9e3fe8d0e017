//! What comes back from a link, and what does not.

use super::*;
use crate::scenario::SHIPPED;
use proptest::prelude::*;

fn shipped(index: usize) -> (&'static str, Scenario) {
    let (name, text) = SHIPPED[index % SHIPPED.len()];
    (name, Scenario::parse(text, name).expect("valid"))
}

fn link(index: usize) -> Link {
    let (name, scenario) = shipped(index);
    Link {
        name: name.to_owned(),
        scenario,
        at: SimTime(42_500_000),
        from: SimTime::ZERO,
        span: None,
        lanes: Arrangement::default(),
        clock: None,
        remarks: vec![],
        before: None,
    }
}

fn fragment_of(version: u32, text: &str) -> String {
    let packed = lz4_flex::block::compress_with_dict(text.as_bytes(), DICTIONARY);
    format!(
        "{PREFIX}{version}/{}",
        URL_SAFE_NO_PAD.encode(sealed(text, &packed, version))
    )
}

#[test]
fn a_link_of_every_shipped_scenario_reads_back_the_same_and_can_be_sent_in_a_message() {
    for (index, (name, _)) in SHIPPED.iter().enumerate() {
        let link = link(index);
        let fragment = write(&link);
        assert_eq!(read(&fragment), Ok(Read { link, told: vec![] }));
        assert!(fragment.len() < 1_500, "{} has {} characters", name, fragment.len());
    }
}

#[test]
fn links_of_the_first_version_are_read_for_ever() {
    let fragment = include_str!("first.txt").trim();
    let read = read(fragment).expect("written once, never to be written again");
    assert_eq!(
        (read.link.name.as_str(), read.link.scenario.seed),
        ("agent-killed", 1234)
    );
    assert_eq!(read.link.scenario.patroni.ttl, crate::engine::Span::from_secs(45));
}

#[test]
fn the_view_of_a_link_that_says_how_often_it_is_halved_still_opens() {
    let old = fragment_of(1, "at 5000000\nzoom 2\nfrom 60000000\n\nduration_s = 100\n");
    let link = read(&old).expect("as it was written once").link;
    assert_eq!((link.from, link.span), (SimTime(60_000_000), Some(Span::from_secs(25))));
    assert!(link.lanes.is_default());
}

proptest! {
    #[test]
    fn random_experiments_read_back_the_same(
        index in 0usize..SHIPPED.len(),
        seed in 0u64..(1 << 53),
        ttl in 20u32..3_600,
        nodes in 1usize..=7,
        title in "a[ -~äöü→]{0,100}b",
        at in 0u64..400_000_000,
        view in (0u64..40_000_000, 0u64..100_000_000),
        lanes in "(-?_?[fsw] |-?_?n[0-6] |-?m[0-4] ){0,4}",
    ) {
        let mut link = link(index);
        link.scenario.seed = seed;
        link.scenario.title = title;
        // Faults may name nodes that are gone; then there is no such experiment.
        let names: Vec<String> = (1..=nodes).map(|n| format!("node{n}")).collect();
        let _ = link.scenario.set("cluster.nodes", &names.join(","));
        link.scenario.set("patroni.ttl", &ttl.to_string()).expect("allowed");
        link.at = SimTime(at).min(SimTime::ZERO + link.scenario.duration);
        if view.0 > 0 {
            link.span = Some(Span(view.0));
            link.from = SimTime(view.1).min(SimTime::ZERO + link.scenario.duration);
        }
        link.lanes = Arrangement::read(&lanes);
        prop_assert_eq!(read(&write(&link)), Ok(Read { link, told: vec![] }));
    }

    #[test]
    fn nothing_that_is_no_link_breaks_the_reader(text in "\\PC{0,300}", bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = read(&text);
        let _ = read(&format!("{PREFIX}1/{text}"));
        let packed = format!("{PREFIX}1/{}", URL_SAFE_NO_PAD.encode(bytes));
        prop_assert!(read(&packed).is_err());
    }

    #[test]
    fn a_link_with_a_changed_character_never_breaks_the_reader(at in 0usize..600, to in "[A-Za-z0-9_-]") {
        let whole = write(&link(3));
        let mut fragment = whole.clone();
        let at = PREFIX.len() + 2 + at % (fragment.len() - PREFIX.len() - 2);
        fragment.replace_range(at..=at, &to);
        // LZ4 can say the same text in more than one way.
        let same = read(&whole);
        if fragment != whole {
            let read = read(&fragment);
            prop_assert!(read.is_err() || read == same, "{read:?}");
        }
    }
}

#[test]
fn what_is_cut_short_is_named_damaged() {
    let fragment = write(&link(0));
    for length in PREFIX.len() + 2..fragment.len() {
        assert!(read(&fragment[..length]).is_err(), "{length} of {}", fragment.len());
    }
}

#[test]
fn markup_stays_text() {
    let mut link = link(0);
    link.scenario.title = "<img src=x onerror=alert(1)> \" \\ ' </script>".to_owned();
    assert_eq!(read(&write(&link)).map(|read| read.link), Ok(link));
    let markup = "engine 0.1.0\nname <b>\n\n<script>alert(1)</script>\n";
    assert!(matches!(
        read(&fragment_of(1, markup)),
        Err(LinkError::Scenario(_)) | Ok(_)
    ));
}

#[test]
fn huge_things_are_refused_before_they_take_room() {
    assert_eq!(
        read(&format!("{PREFIX}1/{}", "A".repeat(5_000_000))),
        Err(LinkError::TooLong)
    );
    // A bomb: a few bytes that promise 16 MB, and some that unpack to more than they promise.
    let promise = [&[0xff, 0xff, 0xff, 0, 0][..], &[0x1f, b'a', 1, 0], &[0xff; 100], &[0]].concat();
    let burst = [&[10, 0, 0, 0, 0][..], &[0x1f, b'a', 1, 0], &[0xff; 60_000], &[0]].concat();
    for bytes in [promise, burst] {
        let fragment = format!("{PREFIX}1/{}", URL_SAFE_NO_PAD.encode(bytes));
        assert_eq!(read(&fragment), Err(LinkError::Damaged));
    }
    let large = fragment_of(1, &format!("name x\n\n{}", "a".repeat(900_000)));
    assert!(read(&large).is_err() || read(&large).is_ok_and(|read| !read.told.is_empty()));
}

#[test]
fn deep_nesting_and_huge_numbers_are_refused_in_words() {
    for toml in [
        format!("{} = 1\n", vec!["a"; 50_000].join(".")),
        format!("seed = {}\n", "[".repeat(50_000)),
        "seed = 99999999999999999999999999999999999999999999\nseed = 1".to_owned(),
    ] {
        let error = read(&fragment_of(1, &format!("name x\n\n{toml}"))).map(|read| read.told);
        assert!(
            error.is_err() || error.is_ok_and(|told| told.len() > 1),
            "{}",
            &toml[..20]
        );
    }
    let far = fragment_of(1, "at 99999999999999999999999\nzoom 900\nfrom -4\n\nduration_s = 10\n");
    let link = read(&far).expect("only the moment is odd").link;
    assert_eq!(
        (link.at, link.span, link.from),
        (SimTime::ZERO, Some(Span(0)), SimTime::ZERO)
    );
}

#[test]
fn a_link_of_a_newer_version_says_so_and_opens_what_is_understood() {
    let toml = "seed = 77\nmood = \"new\"\n[patroni]\nttl = 45\ncheer = 3\n[fence]\nkind = \"x\"\nmode = 2\n[[fault]]\nat_s = 1\nkind = \"meteor\"\n\
                target = \"node1\"\n[[fault]]\nat_s = 2\nkind = \"kill\"\ntarget = \"node2\"\n";
    let text = format!("engine 9.0.0\nname agent-killed\nat 5000000\nnotes many\n\n{toml}");
    let Read { link, told } = read(&fragment_of(3, &text)).expect("most of it is known");
    assert_eq!(
        (link.scenario.seed, link.scenario.faults.len(), link.at),
        (77, 1, SimTime(5_000_000))
    );
    assert_eq!(link.scenario.patroni.ttl, crate::engine::Span::from_secs(45));
    let told = told.join("\n");
    for words in [
        "newer version",
        "engine 9.0.0",
        "mood",
        "patroni.cheer",
        "meteor",
        "fence",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(read("#/lab/7/AAAA"), Err(LinkError::Newer(7)));
}

#[test]
fn a_link_holds_the_run_that_another_is_compared_with() {
    let first = link(0);
    for index in 0..SHIPPED.len() {
        let link = Link {
            before: Some(shipped(index).1),
            ..first.clone()
        };
        let fragment = write(&link);
        assert!(fragment.len() < 2_500, "{} characters", fragment.len());
        assert_eq!(read(&fragment), Ok(Read { link, told: vec![] }));
    }
}

#[test]
fn a_second_scenario_that_is_not_there_is_damage_and_no_panic() {
    for length in ["x", "-1", "", "400", "99999999999999999999"] {
        let text = format!("engine {}\nbefore {length}\n\nseed = 3\n", crate::VERSION);
        assert_eq!(read(&fragment_of(2, &text)), Err(LinkError::Damaged), "{length}");
    }
    // It would begin in the midst of a letter.
    let text = "engine 1\nbefore 2\n\ntitle = \"é\"";
    assert_eq!(read(&fragment_of(2, text)), Err(LinkError::Damaged));
}

#[test]
fn what_is_unknown_in_the_second_scenario_is_left_out_and_told() {
    let before = "seed = 4\nmood = \"new\"\n";
    let text = format!(
        "engine {}\nbefore {}\n\nseed = 3\n{before}",
        crate::VERSION,
        before.len()
    );
    let Read { link, told } = read(&fragment_of(2, &text)).expect("most of it is known");
    assert_eq!(
        (link.scenario.seed, link.before.map(|before| before.seed)),
        (3, Some(4))
    );
    assert!(told.len() == 1 && told[0].contains("mood"), "{told:?}");
}

#[test]
fn notes_and_the_chosen_clock_read_back_and_what_is_not_one_is_left_out() {
    let remark = |at: u64, text: &str| Remark::new(SimTime(at), text).expect("something is said");
    let long = "ü".repeat(Remark::CHARS_MAX);
    let remarks = vec![
        remark(1_000_000, "why?"),
        remark(1_000_000, &long),
        remark(42_000_000, "at 7\nspan 3"),
    ];
    let (clock, link) = (Some(NodeId(2)), link(0));
    let written = Link { clock, remarks, ..link };
    assert_eq!(read(&write(&written)).expect("just written").link, written);

    let many = "remark 1 x\n".repeat(Remark::MOST + 9);
    let text = format!("clock 3\nremark 9\nremark x y\nremark 500000000 late\nremark 5  \n{many}\nduration_s = 100\n");
    let link = read(&fragment_of(2, &text)).expect("readable").link;
    assert_eq!(link.clock, None, "there are three nodes");
    assert_eq!(link.remarks.len(), Remark::MOST);
    assert_eq!(link.remarks.last(), Some(&remark(100_000_000, "late")));
}
