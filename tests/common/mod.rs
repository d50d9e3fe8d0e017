//! What several test files share.

use std::path::Path;
use std::{env, fs};

/// Compares a transcript with the one that is kept in `tests/transcripts/`, and with `UPDATE_TRANSCRIPTS=1` replaces it.
///
/// # Panics
/// When they differ, naming the first line that does.
pub fn assert_transcript(name: &str, transcript: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/transcripts")
        .join(name);
    if env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        let folder = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(folder).expect("the folder of transcripts can be made");
        fs::write(&path, transcript).expect("a transcript can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let hint = "run with UPDATE_TRANSCRIPTS=1 if this is meant, and read what changed";
    let (mut ours, mut theirs) = (transcript.lines(), kept.lines());
    for line in 1.. {
        let (now, then) = (ours.next(), theirs.next());
        assert_eq!(
            now, then,
            "tests/transcripts/{name}, line {line} (left: now, right: kept); {hint}"
        );
        if now.is_none() {
            return;
        }
    }
}
