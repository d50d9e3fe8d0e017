//! The keyboard: one table, read by the page and shown on its help sheet.

use super::{Action, Session, Speed};

/// A key as the browser names it, how people call it, and what it does.
pub struct Shortcut {
    pub key: &'static str,
    pub name: &'static str,
    pub words: &'static str,
    does: fn(&Session) -> Action,
}

const fn shortcut(
    key: &'static str,
    name: &'static str,
    words: &'static str,
    does: fn(&Session) -> Action,
) -> Shortcut {
    Shortcut { key, name, words, does }
}

const TENTH: i64 = 100_000;
const SECOND: i64 = 1_000_000;

/// Space, which many controls need for themselves, works like `k` where nothing else wants it.
pub const SPACE: &str = " ";
/// Opens and closes the help sheet; the page itself knows what that is.
pub const HELP: &str = "?";

/// All keys, in the order of the help sheet. Letters mean the same in upper case.
pub const SHORTCUTS: [Shortcut; 14] = [
    shortcut("k", "k", "play or pause", |_| Action::TogglePlay),
    shortcut("n", "n", "next event", |_| Action::NextEvent),
    shortcut("p", "p", "previous event", |_| Action::PreviousEvent),
    shortcut("b", "b", "jump to the first bad moment", |_| Action::FirstBadMoment),
    shortcut("l", "l", "0.1 s on", |_| Action::Shift(TENTH)),
    shortcut("j", "j", "0.1 s back", |_| Action::Shift(-TENTH)),
    shortcut(".", ".", "1 s on", |_| Action::Shift(SECOND)),
    shortcut(",", ",", "1 s back", |_| Action::Shift(-SECOND)),
    shortcut("+", "+", "faster", |session| Action::SetSpeed(session.speed.faster())),
    shortcut("-", "-", "slower", |session| Action::SetSpeed(session.speed.slower())),
    shortcut("1", "1", "normal speed, 10×", |_| Action::SetSpeed(Speed::default())),
    shortcut("r", "r", "restart", |_| Action::Restart),
    shortcut("Home", "Home", "to the start", |_| Action::Start),
    shortcut("End", "End", "to the end", |_| Action::End),
];

/// What a key does now, if anything. `taken`: the focused control uses keys of this kind itself.
pub fn pressed(session: &Session, key: &str, taken: bool) -> Option<Action> {
    let lower = key.to_lowercase();
    if lower == "k" {
        return Some(Action::TogglePlay);
    }
    if taken || !session.single_keys {
        return None;
    }
    if key == SPACE {
        return Some(Action::TogglePlay);
    }
    let found = SHORTCUTS.iter().find(|shortcut| shortcut.key == key || shortcut.key == lower);
    found.map(|shortcut| (shortcut.does)(session))
}
