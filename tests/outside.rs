#![cfg(not(target_arch = "wasm32"))]
//! What a deposed primary's clients do outside the cluster, with and without fencing tokens (which no version of Patroni hands
//! out), and what is known of what it wrote: whose writes are lost, and the branch of its log until that is taken back.

use leaselab::engine::{Event, Place, What};
use leaselab::scenario::{FIELDS, MORE, Scenario};
use leaselab::verdict::{Run, StrayEnd, Verdict, run};
use leaselab::vocabulary::{Key, LeaseNote, Note, Token, Words, WriteOutcome};
use leaselab::world::Part;

fn play(name: &str, set: &[(&str, &str)]) -> Run {
    let known = MORE.iter().find(|(known, _)| *known == format!("fence/{name}"));
    let set: Vec<_> = set.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    run(&Scenario::parse_with(known.expect("a scenario of that name").1, name, &set).expect("valid"))
}

fn notes(run: &Run) -> impl Iterator<Item = (&Event<Words>, Part, &Note)> {
    run.trace.iter().filter_map(|event| match (&event.what, event.place) {
        (What::Note(note), Place::Process(process)) => Some((event, run.layout.part(process), note)),
        _ => None,
    })
}

/// The tokens with which the object was written, in order.
fn accepted(run: &Run) -> Vec<Option<Token>> {
    let written = notes(run).filter_map(|(_, part, note)| match note {
        Note::Lease(LeaseNote::Accepted { token, .. }) if part == Part::ObjectStore => Some(*token),
        _ => None,
    });
    written.collect()
}

/// The tokens that came with confirmed commits.
fn confirmed(run: &Run) -> Vec<Option<Token>> {
    let told = notes(run).filter_map(|(_, _, note)| match note {
        Note::Write {
            outcome: WriteOutcome::Acknowledged { token, .. },
            ..
        } => Some(*token),
        _ => None,
    });
    told.collect()
}

#[test]
fn without_tokens_every_late_effect_lands_and_with_them_all_but_the_first_moments_bounce() {
    let (lands, bounces) = (
        play("patroni-late-effects-land", &[]),
        play("patroni-late-effects-bounce", &[]),
    );
    let (off, on) = (&lands.verdict, &bounces.verdict);
    assert_eq!(off.outside.accepted, off.writes.acknowledged);
    assert_eq!(off.outside.accepted_by_deposed, off.writes.accepted_by_deposed);
    assert!(off.writes.accepted_by_deposed > 20 && off.writes.rejected_by_fence == 0);
    assert_eq!(
        on.outside.accepted + on.writes.rejected_by_fence,
        on.writes.acknowledged
    );
    // From the grant of the new token to its first use outside the old one still gets through.
    assert!((1..5).contains(&on.outside.accepted_by_deposed), "{:?}", on.outside);
    assert!(on.writes.rejected_by_fence > 20);
    // The gateway cannot compare, tokens or not.
    assert_eq!(on.outside.mails_of_deposed, off.outside.mails_of_deposed);
    assert!(on.outside.mails_of_deposed > 20);
    // A fence outside changes nothing inside.
    assert_eq!(on.two_primaries, off.two_primaries);
    assert_eq!(
        (&on.failovers, &on.lost_writes.len()),
        (&off.failovers, &off.lost_writes.len())
    );
}

#[test]
fn behind_the_fence_the_object_never_goes_back_to_an_older_token_and_without_it_does() {
    let tokens = accepted(&play("patroni-late-effects-bounce", &[]));
    assert!(tokens.len() > 100 && tokens.iter().all(Option::is_some));
    assert!(tokens.windows(2).all(|pair| pair[0] <= pair[1]));
    let writers = |run: &Run| {
        let by = notes(run).filter_map(|(_, part, note)| match note {
            Note::Lease(LeaseNote::Accepted { confirmed_by, .. }) if part == Part::ObjectStore => *confirmed_by,
            _ => None,
        });
        let mut by: Vec<_> = by.collect();
        by.dedup();
        by.len()
    };
    assert!(
        writers(&play("patroni-late-effects-land", &[])) > 3,
        "to and fro between two primaries"
    );
}

#[test]
fn the_token_is_the_revision_that_created_the_leader_key_and_comes_with_every_commit() {
    let run = play("patroni-late-effects-bounce", &[]);
    let created: Vec<Token> = notes(&run)
        .filter_map(|(_, part, note)| match (part, note) {
            (
                Part::Store(_),
                Note::KeyPut {
                    key: Key::Leader,
                    revision,
                    created: true,
                    ..
                },
            ) => Some(Token(revision.0)),
            _ => None,
        })
        .collect();
    let handed: Vec<Token> = notes(&run)
        .filter_map(|(_, _, note)| match note {
            Note::Lease(LeaseNote::HandsOut { token }) => Some(*token),
            _ => None,
        })
        .collect();
    assert!(created.len() >= 2, "the first leader's and its successor's");
    assert_eq!(handed, created);
    assert!(
        confirmed(&run)
            .iter()
            .all(|token| token.is_some_and(|token| handed.contains(&token)))
    );
    let without = play("patroni-late-effects-land", &[]);
    assert!(confirmed(&without).iter().all(Option::is_none));
}

#[test]
fn what_was_kept_back_by_a_cut_arrives_after_the_failover_and_bounces_only_off_what_compares() {
    let (lands, bounces) = (
        play("patroni-cut-off-effects-arrive-late", &[]).verdict,
        play("patroni-cut-off-effects-bounce", &[]).verdict,
    );
    assert_eq!(
        lands.writes.accepted_by_deposed, 0,
        "its lease was good when it committed"
    );
    assert!(lands.outside.accepted_by_deposed > 100, "{:?}", lands.outside);
    assert_eq!(bounces.outside.accepted_by_deposed, 0);
    assert_eq!(bounces.writes.rejected_by_fence, lands.outside.accepted_by_deposed);
    assert_eq!(bounces.outside.mails_of_deposed, lands.outside.mails_of_deposed);
}

#[test]
fn a_mail_that_is_asked_for_twice_is_sent_twice_unless_the_gateway_knows_its_key() {
    let mails = |keys| {
        let verdict = play("patroni-cut-off-effects-arrive-late", &[("fence.mail_keys", keys)]).verdict;
        (verdict.outside, verdict.writes.acknowledged)
    };
    let (known, commits) = mails("true");
    assert_eq!(known.mails, commits);
    assert!(known.mails_repeated > 0);
    let (unknown, _) = mails("false");
    assert_eq!(unknown.mails, known.mails + known.mails_repeated);
}

#[test]
fn nothing_of_this_is_there_unless_it_is_asked_for_and_the_description_says_whose_it_is() {
    let scenario = Scenario::default();
    assert_eq!(scenario.fence, Default::default());
    let plain = play("patroni-late-effects-land", &[("fence.outside", "false")]);
    assert_eq!(
        (plain.verdict.outside, plain.layout.outside()),
        (Default::default(), None)
    );
    assert!(notes(&plain).all(|(_, _, note)| !matches!(note, Note::Lease(_))));
    let tokens = FIELDS
        .iter()
        .find(|field| field.key == "fence.tokens")
        .expect("described");
    assert!(tokens.help.contains("Real Patroni does not have this"));
}

fn is_listed(run: &Run) {
    let Verdict {
        writes,
        lost_writes,
        stray_branches,
        ..
    } = &run.verdict;
    assert_eq!(writes.lost as usize, lost_writes.len());
    for lost in lost_writes {
        let event = run.trace.get(lost.event).expect("an event of the run");
        assert_eq!(event.at, lost.at);
        assert_eq!(run.layout.place_name(event.place), lost.client);
        let What::Note(Note::Write {
            outcome: WriteOutcome::Acknowledged { by, lsn, .. },
            ..
        }) = event.what
        else {
            panic!("{lost:?} was not told ok");
        };
        assert_eq!((run.layout.node_name(by), lsn), (lost.told_by.as_str(), lost.lsn));
        let on_a_stray = |stray: &&leaselab::verdict::Stray| {
            stray.node == lost.told_by && stray.from_lsn < lost.lsn && lost.lsn <= stray.to_lsn
        };
        assert!(
            stray_branches.iter().any(|stray| on_a_stray(&stray)),
            "{lost:?} in {stray_branches:?}"
        );
    }
}

#[test]
fn every_lost_write_is_listed_with_the_client_that_was_told_ok_and_lies_on_a_stray_branch() {
    for name in ["patroni-late-effects-land", "patroni-cut-off-effects-bounce"] {
        for seed in ["7", "8", "9"] {
            let run = play(name, &[("seed", seed)]);
            assert!(run.verdict.writes.lost > 50, "seed {seed}");
            is_listed(&run);
        }
    }
}

#[test]
fn a_stray_branch_is_there_from_the_promotion_that_left_it_until_pg_rewind_takes_it_back() {
    let run = play("patroni-late-effects-land", &[]);
    let [stray] = run.verdict.stray_branches.as_slice() else {
        panic!("{:?}", run.verdict.stray_branches);
    };
    let promoted = notes(&run).find_map(|(event, _, note)| match note {
        Note::Promoted { at, .. } => Some((event.at, *at)),
        _ => None,
    });
    assert_eq!(promoted, Some((stray.since, stray.from_lsn)));
    let rewound = notes(&run).find_map(|(event, _, note)| match note {
        Note::Rewinds { from, to } => Some((Some(event.at), *from, *to)),
        _ => None,
    });
    assert_eq!(rewound, Some((stray.until, stray.to_lsn, stray.from_lsn)));
    assert_eq!((stray.node.as_str(), stray.end), ("node1", Some(StrayEnd::Rewound)));
}

#[test]
fn a_stray_branch_goes_with_the_database_that_is_copied_anew_or_stays_where_nothing_takes_it_back() {
    let without_rewind = ("patroni.use_pg_rewind", "false");
    let remove = ("patroni.remove_data_directory_on_diverged_timelines", "true");
    let copied = play("patroni-late-effects-land", &[without_rewind, remove]).verdict;
    assert_eq!(copied.stray_branches[0].end, Some(StrayEnd::ThrownAway));
    let stays = play("patroni-late-effects-land", &[without_rewind]).verdict;
    assert_eq!(
        (stays.stray_branches[0].until, stays.stray_branches[0].end),
        (None, None)
    );
    assert!(stays.stray_branches[0].to_lsn > stays.stray_branches[0].from_lsn);
}

#[test]
fn where_nobody_fails_over_there_is_no_stray_branch_and_nothing_is_lost() {
    let quiet =
        run(&Scenario::parse("duration_s = 60\n[fence]\noutside = true\ntokens = true", "quiet").expect("valid"));
    assert_eq!(
        (quiet.verdict.stray_branches, quiet.verdict.lost_writes),
        (vec![], vec![])
    );
    assert_eq!(quiet.verdict.outside.mails_repeated, 0);
}
