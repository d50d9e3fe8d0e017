//! What marks mean and how they look. The order of [`Style`] is the order of painting.
//!
//! | form           | means everywhere |
//! |----------------|------------------|
//! | fuse           | the store's lease, burning down |
//! | hollow bar     | belief |
//! | filled bar     | what a database really does: thick when writable, a thin line when it follows |
//! | tick           | an accepted write |
//! | grey, dashed   | frozen, dead |
//! | red, hatched   | two primaries, lost writes |
//! | grey, hatched  | two believers |

use super::theme::Ink;

/// What a mark means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    Grid,
    Separator,
    DoubtBand,
    DoubtHatch,
    DoubtEdge,
    DangerBand,
    DangerHatch,
    DangerEdge,
    /// On the map of the whole run: no database accepts writes.
    Outage,
    /// On the map: a fault, and another node that leads.
    MapFault,
    MapFailover,
    /// The store can decide nothing.
    NoQuorum,
    NoQuorumEdge,
    Fuse(u8),
    StoreFollows,
    StoreLeads,
    /// A member of the store asks for votes.
    StoreAsks,
    Replica(u8),
    Writable(u8),
    /// A database that is neither up nor down: starting, promoting, stopping.
    Between,
    Down,
    Watchdog,
    DiskSlow,
    DiskStalls,
    /// A member of the store enters a new term.
    StoreTerm,
    Frozen,
    Dead,
    Belief(u8),
    /// A candidate asks its peers.
    Race,
    Expiry,
    Write(u8),
    WriteLost,
    WriteUnknown,
    WriteRefused,
    /// What keeps the store's group together.
    Beat,
    BeatLost,
    /// Another message is looked at.
    MessageDim,
    Message,
    MessageLost,
    LostCross,
    /// It happened before the event that was asked about; after it.
    MessagePast,
    MessageFuture,
    /// This message, or what it answers, is looked at.
    MessagePicked,
    LostPicked,
    CycleFill,
    Cycle,
    Reset,
    RouterTo(u8),
    ChipFill,
    Chip,
    /// The fault whose numbers are shown.
    ChipChosen,
    /// The lane on which something carried would be dropped.
    Target,
    TargetEdge,
    /// From here on, two compared runs are not the same.
    Parting,
    /// A moment that somebody wrote something about.
    Remark,
    RemarkFlag,
    Playhead,
    /// Behind the words of the danger band, so that the hatching does not disturb them.
    DangerPlate,
    PlayheadChip,
    /// On the map: what is not in view, the frame around what is, and its ends.
    MapRest,
    MapFrame,
    MapHandle,
}

/// How a style is painted. Widths and dashes are CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    pub ink: Ink,
    /// 0 to 1.
    pub alpha: f32,
    pub how: Paint,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    Fill,
    Stroke {
        width: f32,
    },
    /// Strokes with as much gap as dash.
    Dashed {
        width: f32,
        dash: f32,
    },
    /// Diagonal lines of `width`, `every` so many pixels along the edge.
    Hatch {
        width: f32,
        every: f32,
    },
}

impl Style {
    pub fn look(self) -> Look {
        use Paint::{Dashed, Fill, Hatch, Stroke};
        let (ink, alpha, how) = match self {
            Style::Grid | Style::Separator => (Ink::Line, 1.0, Stroke { width: 1.0 }),
            Style::DoubtBand => (Ink::Text, 0.04, Fill),
            Style::DoubtHatch => (
                Ink::Mute,
                0.3,
                Hatch {
                    width: 1.0,
                    every: 18.0,
                },
            ),
            Style::DoubtEdge => (Ink::Mute, 0.8, Dashed { width: 1.0, dash: 4.0 }),
            Style::Outage => (Ink::Text, 0.9, Dashed { width: 1.2, dash: 3.0 }),
            Style::MapFault => (Ink::Text, 0.75, Fill),
            Style::MapFailover => (Ink::Text, 1.0, Fill),
            Style::MapRest => (Ink::Paper, 0.5, Fill),
            Style::MapFrame => (Ink::Text, 1.0, Stroke { width: 1.5 }),
            Style::MapHandle => (Ink::Text, 1.0, Fill),
            Style::DangerBand => (Ink::Bad, 0.1, Fill),
            Style::DangerHatch => (Ink::Bad, 0.38, Hatch { width: 1.6, every: 9.0 }),
            Style::DangerEdge => (Ink::Bad, 1.0, Stroke { width: 1.5 }),
            Style::Fuse(n) => (Ink::Node(n), 0.85, Fill),
            Style::NoQuorum => (Ink::Mute, 0.16, Fill),
            Style::NoQuorumEdge => (Ink::Mute, 1.0, Dashed { width: 1.0, dash: 3.0 }),
            Style::StoreFollows => (Ink::Mute, 0.8, Fill),
            Style::StoreLeads => (Ink::Mute, 1.0, Fill),
            Style::StoreAsks => (Ink::Text, 1.0, Dashed { width: 1.2, dash: 2.0 }),
            Style::StoreTerm => (Ink::Text, 1.0, Stroke { width: 1.0 }),
            Style::DiskSlow => (Ink::Text, 0.7, Fill),
            Style::DiskStalls => (Ink::Text, 1.0, Stroke { width: 1.2 }),
            Style::Replica(n) => (Ink::Node(n), 0.8, Fill),
            Style::Writable(n) => (Ink::Node(n), 1.0, Fill),
            Style::Between => (Ink::Mute, 1.0, Dashed { width: 1.2, dash: 3.0 }),
            Style::Down | Style::Dead => (Ink::Mute, 1.0, Dashed { width: 1.2, dash: 4.0 }),
            Style::Watchdog => (Ink::Mute, 0.8, Fill),
            Style::Frozen => (Ink::Mute, 0.35, Fill),
            Style::Belief(n) => (Ink::Node(n), 1.0, Stroke { width: 1.6 }),
            Style::Race => (Ink::Text, 1.0, Dashed { width: 1.2, dash: 2.0 }),
            Style::Expiry => (Ink::Text, 1.0, Dashed { width: 1.0, dash: 4.0 }),
            Style::Write(n) => (Ink::Node(n), 1.0, Fill),
            Style::WriteLost => (Ink::Bad, 1.0, Stroke { width: 1.0 }),
            Style::WriteUnknown => (Ink::Mute, 1.0, Stroke { width: 1.0 }),
            Style::WriteRefused => (Ink::Mute, 0.8, Stroke { width: 1.0 }),
            Style::Beat => (Ink::Mute, 0.7, Stroke { width: 1.0 }),
            Style::BeatLost => (Ink::Mute, 0.9, Dashed { width: 1.0, dash: 2.0 }),
            Style::Message => (Ink::Text, 0.55, Stroke { width: 1.0 }),
            Style::MessageDim => (Ink::Mute, 0.25, Stroke { width: 1.0 }),
            Style::MessagePast => (Ink::Text, 1.0, Stroke { width: 2.0 }),
            Style::MessageFuture => (Ink::Text, 1.0, Dashed { width: 2.0, dash: 2.0 }),
            Style::MessagePicked => (Ink::Text, 1.0, Stroke { width: 3.0 }),
            Style::LostPicked => (Ink::Text, 1.0, Dashed { width: 3.0, dash: 4.0 }),
            Style::MessageLost => (Ink::Text, 0.8, Dashed { width: 1.0, dash: 3.0 }),
            Style::LostCross => (Ink::Text, 1.0, Stroke { width: 1.5 }),
            Style::CycleFill | Style::ChipFill => (Ink::Panel, 1.0, Fill),
            Style::Cycle => (Ink::Text, 1.0, Stroke { width: 1.4 }),
            Style::Reset => (Ink::Text, 1.0, Stroke { width: 2.0 }),
            Style::RouterTo(n) => (Ink::Node(n), 1.0, Fill),
            Style::Chip => (Ink::Text, 1.0, Stroke { width: 1.0 }),
            Style::ChipChosen => (Ink::Text, 1.0, Stroke { width: 3.0 }),
            Style::Target => (Ink::Text, 0.08, Fill),
            Style::TargetEdge => (Ink::Text, 1.0, Dashed { width: 1.5, dash: 4.0 }),
            Style::Remark => (Ink::Text, 0.55, Dashed { width: 1.0, dash: 2.0 }),
            Style::RemarkFlag => (Ink::Text, 1.0, Fill),
            Style::Parting => (Ink::Text, 1.0, Dashed { width: 1.5, dash: 6.0 }),
            Style::DangerPlate => (Ink::Paper, 1.0, Fill),
            Style::Playhead => (Ink::Text, 1.0, Stroke { width: 1.5 }),
            Style::PlayheadChip => (Ink::Text, 1.0, Fill),
        };
        Look { ink, alpha, how }
    }
}

/// What a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Font {
    LaneName,
    LaneSub,
    Axis,
    /// Beside a mark.
    Small,
    /// On a grey or hollow mark.
    Mark,
    /// Lost writes.
    Lost,
    /// On a node's colour.
    OnNode,
    /// On the bar of the store's leader.
    OnNeutral,
    Chip,
    Danger,
    Playhead,
}

impl Font {
    /// Size in CSS pixels, whether bold, and the ink.
    pub fn look(self) -> (f32, bool, Ink) {
        match self {
            Font::LaneName => (12.0, true, Ink::Text),
            Font::LaneSub | Font::Axis | Font::Small => (11.0, false, Ink::Mute),
            Font::OnNode => (11.0, false, Ink::OnNode),
            Font::OnNeutral => (11.0, false, Ink::Paper),
            Font::Mark => (11.0, false, Ink::Text),
            Font::Lost => (11.0, false, Ink::Bad),
            Font::Chip => (12.0, false, Ink::Text),
            Font::Danger => (12.0, true, Ink::Bad),
            Font::Playhead => (11.0, false, Ink::Paper),
        }
    }

    /// Whether the letters keep what lies behind them at a distance.
    pub fn has_halo(self) -> bool {
        matches!(self, Font::Small | Font::Lost | Font::Axis)
    }

    /// About how wide a text is, rather too wide than too narrow: for deciding what fits without asking a browser.
    pub fn width(self, text: &str) -> f32 {
        let (size, bold, _) = self.look();
        let ems: f32 = text.chars().map(char_width).sum();
        ems * size * if bold { 1.1 } else { 1.0 }
    }
}

/// In ems, for a usual sans serif.
fn char_width(c: char) -> f32 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '’' | '|' | '·' | '!' => 0.32,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '/' | '-' => 0.4,
        'm' | 'w' | 'M' | 'W' | '…' | '→' => 0.98,
        'A'..='Z' => 0.72,
        '0'..='9' => 0.64,
        _ => 0.62,
    }
}

/// How far a halo reaches beyond the letters, in CSS pixels.
pub const HALO: f32 = 1.5;

/// The font family of all texts.
pub const FAMILY: &str = "Inter, \"Segoe UI\", system-ui, sans-serif";
