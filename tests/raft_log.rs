#![cfg(not(target_arch = "wasm32"))]
//! Raft's log does what a plain vector of entries does, and its clones share what neither has written since.

use leaselab::raft::{Entry, Index, Log, Term};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Change {
    /// So many entries, of a term so much above the last one's.
    Push(usize, u64),
    /// Keeps so many of a hundred.
    Truncate(u64),
    /// From here on the clone stays as it is.
    Clone,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => (0usize..100, 0u64..3).prop_map(|(entries, above)| Change::Push(entries, above)),
        2 => (0u64..=100).prop_map(Change::Truncate),
        1 => Just(Change::Clone),
    ]
}

fn same(log: &Log<u64>, model: &[Entry<u64>]) {
    let last = model.len() as u64;
    assert_eq!(log.last(), Index(last));
    assert_eq!(log.last_term(), model.last().map_or(Term(0), |entry| entry.term));
    assert_eq!(log.get(Index(0)), None);
    assert_eq!((log.get(Index(last + 1)), log.term(Index(last + 1))), (None, None));
    assert_eq!(log.after(Index(0), usize::MAX), model);
    for (i, entry) in model.iter().enumerate() {
        assert_eq!(log.get(Index(i as u64 + 1)), Some(entry));
    }
}

/// What is asked of a log, found by looking at every entry.
fn same_answers(log: &Log<u64>, model: &[Entry<u64>], (index, term, limit): (u64, u64, usize)) {
    let from = (index as usize).min(model.len());
    let until = from.saturating_add(limit).min(model.len());
    assert_eq!(log.after(Index(index), limit), model[from..until]);
    let at_most = model[..from].iter().rposition(|entry| entry.term <= Term(term));
    assert_eq!(
        log.last_at_most(Index(index), Term(term)),
        Index(at_most.map_or(0, |i| i as u64 + 1))
    );
    let mine = (model.last().map_or(0, |entry| entry.term.0), model.len() as u64);
    assert_eq!(log.is_up_to_date(Term(term), Index(index)), (term, index) >= mine);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn a_log_does_what_a_plain_vector_does(
        changes in prop::collection::vec(change(), 1..20),
        questions in prop::collection::vec((0u64..600, 0u64..40, 0usize..100), 1..20),
    ) {
        let (mut log, mut model) = (Log::default(), Vec::new());
        let mut clones = Vec::new();
        let mut value = 0;
        for change in changes {
            match change {
                Change::Push(entries, above) => for _ in 0..entries {
                    value += 1;
                    let term = Term(log.last_term().0 + if value % 7 == 0 { above } else { 0 });
                    let entry = Entry { term, command: (value % 5 != 0).then_some(value) };
                    log.push(entry.clone());
                    model.push(entry);
                },
                Change::Truncate(percent) => {
                    let keep = model.len() * percent as usize / 100;
                    log.truncate(Index(keep as u64));
                    model.truncate(keep);
                }
                Change::Clone => clones.push((log.clone(), model.clone())),
            }
            same(&log, &model);
        }
        questions.into_iter().for_each(|question| same_answers(&log, &model, question));
        prop_assert_eq!(&log, &Log::of(model));
        clones.iter().for_each(|(log, model)| same(log, model));
    }
}

/// The number of its chunks.
fn chunks(log: &Log<u64>) -> usize {
    log.chunks_shared_with(log)
}

fn log_of(entries: u64) -> Log<u64> {
    Log::of((1..=entries).map(|value| Entry {
        term: Term(1),
        command: Some(value),
    }))
}

#[test]
fn a_clone_shares_every_chunk_and_a_push_to_it_copies_the_newest_at_most() {
    for entries in [1, 31, 32, 33, 10_000] {
        let log = log_of(entries);
        let mut clone = log.clone();
        assert_eq!(log.chunks_shared_with(&clone), chunks(&log));
        for value in 0..100 {
            let term = Term(2);
            clone.push(Entry {
                term,
                command: Some(value),
            });
        }
        assert!(log.chunks_shared_with(&clone) + 1 >= chunks(&log), "{entries} entries");
        assert_eq!(log, log_of(entries), "and leaves the other as it was");
    }
}

#[test]
fn a_truncated_clone_shares_what_it_kept_and_equal_logs_need_not_share_anything() {
    let log = log_of(10_000);
    let mut clone = log.clone();
    clone.truncate(Index(5_000));
    assert!(log.chunks_shared_with(&clone) + 1 >= chunks(&clone));
    assert_eq!(log_of(5_000), clone);
    assert_eq!(log_of(5_000).chunks_shared_with(&clone), 0);
}
