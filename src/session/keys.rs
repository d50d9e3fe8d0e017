//! The keyboard: one table, read by the page and shown on its help sheet.

use super::twin::Compare;
use super::{Action, FaultEdit, Session, Speed};

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

/// All keys, in the order of the help sheet; letters mean the same in upper case. Film players taught people most of them.
pub const SHORTCUTS: [Shortcut; 27] = [
    shortcut(" ", "space", "play or pause", |_| Action::TogglePlay),
    shortcut("k", "k", "play or pause, also while a button has the focus", |_| {
        Action::TogglePlay
    }),
    shortcut("ArrowRight", "→", "next event", |_| Action::NextEvent),
    shortcut("ArrowLeft", "←", "previous event", |_| Action::PreviousEvent),
    shortcut("b", "b", "jump to the first bad moment", |_| Action::FirstBadMoment),
    shortcut("l", "l", "1 s on", |_| Action::Shift(SECOND)),
    shortcut("j", "j", "1 s back", |_| Action::Shift(-SECOND)),
    shortcut(".", ".", "0.1 s on", |_| Action::Shift(TENTH)),
    shortcut(",", ",", "0.1 s back", |_| Action::Shift(-TENTH)),
    shortcut("+", "+", "faster", |session| Action::SetSpeed(session.speed.faster())),
    shortcut("-", "-", "slower", |session| Action::SetSpeed(session.speed.slower())),
    shortcut("0", "0", "usual speed, 10×", |_| Action::SetSpeed(Speed::default())),
    shortcut("z", "z", "zoom in", |_| Action::ZoomIn),
    shortcut("x", "x", "zoom out", |_| Action::ZoomOut),
    shortcut("a", "a", "show the whole run", |_| Action::ZoomFit),
    shortcut("q", "q", "look earlier", |session| {
        Action::Pan(-session.window.pan_step_us(session.end()))
    }),
    shortcut("w", "w", "look later", |session| {
        Action::Pan(session.window.pan_step_us(session.end()))
    }),
    shortcut("c", "c", "what happened before and after this event", |_| {
        Action::Relate(None)
    }),
    shortcut("n", "n", "next message", |_| Action::NextMessage),
    shortcut("p", "p", "previous message", |_| Action::PreviousMessage),
    shortcut("Delete", "Del", "take the chosen fault away", |session| {
        Action::Fault(match session.chosen_fault() {
            Some((index, _)) => FaultEdit::Remove(index),
            None => FaultEdit::Choose(None),
        })
    }),
    shortcut("f", "f", "fork: keep this run, and change another", |_| {
        Action::Compare(Compare::Fork)
    }),
    shortcut("r", "r", "restart", |_| Action::Restart),
    shortcut("Home", "Home", "to the start", |_| Action::Start),
    shortcut("End", "End", "to the end", |_| Action::End),
    shortcut("?", "?", "this sheet", |_| Action::Help(true)),
    shortcut("Escape", "Esc", "close the explanation or the help", |_| {
        Action::CloseWhy
    }),
];

/// Keys with Ctrl (or Cmd), and what they do: for the help sheet.
pub const COMMANDS: [(&str, &str); 2] = [
    ("Ctrl+Z", "undo the last change of the experiment"),
    ("Ctrl+Shift+Z, Ctrl+Y", "redo what was undone"),
];

/// What a key does together with Ctrl or Cmd. A field for text has its own undo.
pub fn commanded(key: &str, shift: bool, focus: Focus) -> Option<Action> {
    if focus == Focus::Text {
        return None;
    }
    match (key.to_ascii_lowercase().as_str(), shift) {
        ("z", false) => Some(Action::Undo),
        ("z", true) | ("y", false) => Some(Action::Redo),
        _ => None,
    }
}

/// What has the focus, as far as it matters for keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// Nothing that uses keys.
    Page,
    /// A button, a link, a checkbox, something that opens and closes: pressed with space.
    Button,
    /// A slider: arrows, Home, End.
    Slider,
    /// A set of choices, a list, or a field for a number: everything that is not a letter command of a player.
    Entry,
    /// A field for text: every key but Escape.
    Text,
}

impl Focus {
    /// Whether the control does something with this key itself.
    fn uses(self, key: &str) -> bool {
        match self {
            Focus::Page => false,
            Focus::Button => key == " ",
            Focus::Slider => key.starts_with("Arrow") || matches!(key, "Home" | "End"),
            Focus::Entry => key != "k" && key != "Escape",
            Focus::Text => key != "Escape",
        }
    }
}

/// What a key does now, if anything.
pub fn pressed(session: &Session, key: &str, focus: Focus) -> Option<Action> {
    let lower = key.to_ascii_lowercase();
    if !session.single_keys || focus.uses(if key.chars().count() == 1 { &lower } else { key }) {
        return None;
    }
    let found = SHORTCUTS
        .iter()
        .find(|shortcut| shortcut.key == key || shortcut.key == lower)
        // A page within another has no room for a sheet, and nothing to change in a fork.
        .filter(|shortcut| !session.embedded || !matches!(shortcut.key, "?" | "f"));
    found.map(|shortcut| (shortcut.does)(session))
}
