//! A run about leases as text: who grants what to whom, who takes itself for the holder, what it writes and what becomes of
//! it. One line for each.
//!
//! Left out: questions and answers between workers and who grants (what comes of them is noted), and renewals that are granted.

use crate::engine::{Event, FullTrace, Life, Place, ProcId, SimTime, What};
use crate::vocabulary::{Effect, EffectAnswer, LeaseMessage, LeaseNote, Loss, Message, Note, Object, Token, Words};
use crate::world::{LeaseLayout, Named};
use std::fmt::Write;

/// The conversation of a run.
pub fn lease_transcript(trace: &FullTrace<Words>, layout: &LeaseLayout) -> String {
    let mut out = String::new();
    for event in trace.iter() {
        let Some((to, what)) = line(event, layout) else {
            continue;
        };
        let who = layout.place_name(event.place);
        let ends = to.map_or(who.clone(), |to| format!("{who} -> {}", layout.process_name(to)));
        let _ = writeln!(out, "{:>9}  {ends:<16}  {what}", event.at.to_string());
    }
    out
}

fn line(event: &Event<Words>, layout: &LeaseLayout) -> Option<(Option<ProcId>, String)> {
    let begins = |begins: bool| if begins { "a fault begins" } else { "a fault ends" };
    Some(match &event.what {
        What::Sent { to, message, .. } => (Some(*to), message_words(message)?),
        What::Note(Note::Lease(note)) => (None, lease_words(note, layout)?),
        What::Life(life) if event.at > SimTime::ZERO || *life != Life::Started => (None, life_words(*life).to_owned()),
        What::Fault { begins: b, .. } if event.place == Place::Network => (None, begins(*b).to_owned()),
        _ => return None,
    })
}

fn life_words(life: Life) -> &'static str {
    match life {
        Life::Started => "starts",
        Life::Exited => "ends",
        Life::Killed => "is dead",
        Life::Paused => "stands still",
        Life::Resumed => "goes on",
    }
}

/// `, token 33`, where there is one.
fn with(token: Option<Token>) -> String {
    token.map_or_else(String::new, |token| format!(", token {token}"))
}

fn thing(object: Object) -> String {
    format!("object {}", object.0)
}

fn message_words(message: &Message) -> Option<String> {
    let Message::Lease(message) = message else { return None };
    Some(match *message {
        LeaseMessage::Guard { token, share, .. } => {
            let share = if share { ", and keep it so" } else { "" };
            format!("is the epoch {token}{share}?")
        }
        LeaseMessage::Effect { effect, .. } => match effect {
            Effect::Write { object, token, key, .. } => {
                let key = key.map_or_else(String::new, |key| format!(", key {key}"));
                format!("write {}{}{key}", thing(object), with(token))
            }
            Effect::Stamp { token } => format!("stamp all objects{}", with(token)),
        },
        _ => return None,
    })
}

/// A note of those concerned, as a sentence about the one that notes it.
pub fn lease_words(note: &LeaseNote, names: &dyn Named) -> Option<String> {
    let name = |process: ProcId| names.process_name(process);
    Some(match *note {
        LeaseNote::Granted { to, token, ttl, .. } => {
            let ttl = ttl.map_or_else(
                || ", as long as its session lasts".to_owned(),
                |ttl| format!(", for {ttl}"),
            );
            format!("grants it to {}{}{ttl}", name(to), with(token))
        }
        LeaseNote::Renewed { .. } | LeaseNote::Extends { .. } => return None,
        LeaseNote::RenewalRefused { to, token } => format!("REFUSES to renew it for {}{}", name(to), with(token)),
        LeaseNote::Expired { token } => format!("the lease with token {token} is over"),
        LeaseNote::Released { by, .. } => format!("{} gives it back", name(by)),
        LeaseNote::SessionGone { of, .. } => format!("the session of {} is over: its lock is free", name(of)),
        LeaseNote::Forgot => "HAS FORGOTTEN who holds it and how far the tokens were".to_owned(),
        LeaseNote::Blocked { who } => format!("{} waits for the row, which a transaction keeps", name(who)),
        LeaseNote::Promoted { timeline, epoch } => {
            format!("takes over, on timeline {timeline}; the last epoch it knows is {epoch}")
        }
        LeaseNote::Holds { token, span } => {
            let span = span.map_or_else(String::new, |span| format!(", for {span} by its clock"));
            format!("HOLDS it{}{span}", with(token))
        }
        LeaseNote::Loses { token, why } => format!("holds it NO LONGER{}: {}", with(token), loss_words(why)),
        LeaseNote::Looked { holds: true } => "looks: it holds".to_owned(),
        LeaseNote::Looked { holds: false } => "looks: it does NOT hold".to_owned(),
        LeaseNote::Told { object, answer } => {
            let what = object.map_or_else(
                || "its stamp".to_owned(),
                |object| format!("its write of {}", thing(object)),
            );
            format!("{what} {}", answer_words(answer))
        }
        LeaseNote::Accepted { by, object, token, .. } => {
            format!("ACCEPTS {} of {}{}", thing(object), name(by), with(token))
        }
        LeaseNote::Rejected {
            by,
            object,
            token,
            fence,
        } => {
            let what = object.map_or_else(|| "the stamp".to_owned(), thing);
            let stale = if token < Some(fence) { ", as stale" } else { "" };
            format!(
                "REJECTS {what} of {}{}{stale}: it has seen {fence}",
                name(by),
                with(token)
            )
        }
        LeaseNote::Repeated { by, object, key } => {
            format!("does {} of {} NOT AGAIN: key {key} is done", thing(object), name(by))
        }
        LeaseNote::Stamped { by, token } => format!("has all objects STAMPED with token {token}, for {}", name(by)),
        LeaseNote::GoesOutside { token, .. } => format!("goes on outside{}", with(token)),
        LeaseNote::HandsOut { token } => format!("hands out token {token}"),
    })
}

fn loss_words(why: Loss) -> &'static str {
    match why {
        Loss::Expired => "its time is over",
        Loss::Refused => "it is told so",
        Loss::SessionEnded => "its session is over",
        Loss::Silence => "no answer in its session",
        Loss::GaveBack => "it gives it back",
    }
}

fn answer_words(answer: EffectAnswer) -> String {
    match answer {
        EffectAnswer::Accepted => "is done".to_owned(),
        EffectAnswer::Rejected { fence } => format!("is refused: {fence} was there"),
        EffectAnswer::Repeated => "was done before".to_owned(),
    }
}
