//! The page within another page (`?embed=1`): what the page around it may ask for, and what it is told.
//!
//! | message                           | from, to       | what it means |
//! |-----------------------------------|----------------|---------------|
//! | `{leaselab: 1, do: "open", link}` | around, within | open this link |
//! | `{leaselab: 1, do: "play"}`, `"pause"` | around, within | play, stand still |
//! | `{leaselab: 1, do: "seek", ms}`   | around, within | to this simulated time |
//! | `{leaselab: 1, is: "ready"}`      | within, around | it listens, and shows its first run |
//! | `{leaselab: 1, is: "state", ms, end_ms, playing, verdict}` | within, around | it has changed |
//!
//! Everything else is ignored: it may be meant for others.

use super::{Action, Session, Sharing};
use crate::engine::{SimTime, Span};
use crate::exchange::link;

/// The version of the messages.
pub const VERSION: f64 = 1.0;

/// While it plays, the page around it hears of every step of so many milliseconds of simulated time.
const STEP_MS: u64 = 100;
/// Later moments than this are none of any run; the largest whole number that a script holds exactly.
const MS_MAX: f64 = 9_007_199_254_740_991.0;

/// A message of the page around, as far as it has the parts of one.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// What stands under `leaselab`.
    pub version: Option<f64>,
    /// Under `do`.
    pub verb: Option<String>,
    pub link: Option<String>,
    pub ms: Option<f64>,
}

/// What the page around is told.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub at_ms: u64,
    pub end_ms: u64,
    pub playing: bool,
    /// The answer for the whole run, as the page shows it.
    pub verdict: String,
}

/// Whether this address, without its fragment, asks for the page within another.
pub(super) fn wanted(site: &str) -> bool {
    let query = site.split_once('?').map_or("", |(_, query)| query);
    query.split('&').any(|part| part == "embed=1")
}

impl Session {
    /// What a message of the page around asks for; nothing when it is none, or changes nothing.
    pub fn asked(&self, message: &Message) -> Option<Action> {
        if !self.embedded || message.version != Some(VERSION) {
            return None;
        }
        match message.verb.as_deref()? {
            "open" => {
                let (_, fragment) = message.link.as_deref()?.split_once('#')?;
                let fragment = format!("#{fragment}");
                link::read(&fragment).ok()?;
                Some(Action::Share(Sharing::OpenLink(fragment)))
            }
            "play" => (!self.playing).then_some(Action::TogglePlay),
            "pause" => self.playing.then_some(Action::TogglePlay),
            "seek" => {
                let ms = message.ms.filter(|ms| (0.0..=MS_MAX).contains(ms))?;
                Some(Action::Seek(
                    SimTime::ZERO + Span(((ms * 1_000.0) as u64).min(self.end().0)),
                ))
            }
            _ => None,
        }
    }

    /// What the page around is told now; nothing before the first run is there.
    pub fn state(&self) -> Option<State> {
        let story = self.story.as_ref()?;
        let ms = self.playhead.0 / 1_000;
        Some(State {
            at_ms: if self.playing { ms - ms % STEP_MS } else { ms },
            end_ms: self.end().0 / 1_000,
            playing: self.playing,
            verdict: story.verdict.headline(),
        })
    }

    /// What a page of somebody else's takes in, to show what is shown here.
    pub fn snippet(&self) -> String {
        let title = self.scenario.title.replace('&', "&amp;").replace('"', "&quot;");
        format!(
            "<iframe src=\"{}?embed=1{}\" title=\"LeaseLab: {title}\" width=\"100%\" height=\"760\" loading=\"lazy\"></iframe>",
            self.site,
            self.fragment_now()
        )
    }
}
