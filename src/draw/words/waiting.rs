//! What an actor waits for, what ended a wait, and what clients are told, in words.

use super::super::waits::{Told, Wait, WaitEnd, WaitFor};
use super::seconds;
use crate::engine::{SimTime, Span};
use crate::verdict::length;

/// `the reply of etcd2, 1.2 s of 3.3 s used`. `whom`: who is waited for, as a list.
pub fn waits_for(wait: &Wait, whom: &str, used: Span) -> String {
    let what = match wait.what {
        WaitFor::Time => return goes_on(wait, used),
        WaitFor::Connection => format!("a connection to {whom}"),
        WaitFor::Reply => format!("the reply of {whom}"),
        WaitFor::MemberList => format!("{whom} to say who the members are"),
        WaitFor::GivingUp => return format!("nothing of {whom} any more: it turns to what comes next"),
    };
    let patience = length(wait.patience);
    match used.saturating_sub(wait.patience) {
        Span::ZERO => format!("{what}, {} of {patience} used", length(used)),
        more => format!("{what}, {} longer than its {patience}", length(more)),
    }
}

/// Only time has to pass.
fn goes_on(wait: &Wait, used: Span) -> String {
    match wait.patience.saturating_sub(used) {
        Span::ZERO => "time to pass, and it has passed".to_owned(),
        left => format!("time to pass, {} of {} left", length(left), seconds(wait.patience)),
    }
}

/// What ended a wait, as what happened last; nothing when there is nothing to tell.
pub fn wait_ended(wait: &Wait, whom: &str, by: Option<&str>) -> Option<String> {
    let patience = length(wait.patience);
    Some(match wait.end {
        WaitEnd::Answered(_) => format!("the reply of {} arrives", by.unwrap_or(whom)),
        WaitEnd::Connected => format!("the connection to {whom} stands"),
        WaitEnd::Refused => format!("the connection to {whom} is refused"),
        WaitEnd::Broken => format!("the connection to {whom} ends"),
        WaitEnd::TimeUp => match wait.what {
            WaitFor::Connection => format!("no connection to {whom} came about within {patience}"),
            _ => format!("no reply of {whom} came within {patience}"),
        },
        WaitEnd::Left | WaitEnd::Open => return None,
    })
}

/// What a client knows of its writes.
pub fn told(told: Told, name: impl Fn(crate::vocabulary::NodeId) -> String) -> String {
    match told {
        Told::AcknowledgedBy(node) => format!("its writes are acknowledged by {}", name(node)),
        Told::Refused => "its writes are refused, or there is nobody to send them to".to_owned(),
        Told::Nothing => "it is not told what became of its writes".to_owned(),
    }
}

/// A wall clock that reads `wall_us` at `t` and runs so many parts per million fast; nothing when it is right.
pub fn clock(t: SimTime, wall_us: i64, fast_ppm: i64, mono_stopped: bool) -> Option<String> {
    let ahead = wall_us - t.0 as i64;
    if ahead == 0 && fast_ppm == 0 && !mono_stopped {
        return None;
    }
    let by = length(Span(ahead.unsigned_abs()));
    let mut words = match ahead {
        0 => "is right".to_owned(),
        1.. => format!("is {by} ahead of true time"),
        _ => format!("is {by} behind true time"),
    };
    match fast_ppm {
        0 => {}
        1.. => words.push_str(&format!(", and runs {fast_ppm} ppm fast")),
        _ => words.push_str(&format!(", and runs {} ppm slow", -fast_ppm)),
    }
    if mono_stopped {
        words.push_str("; its monotonic clock stands still");
    }
    Some(words)
}
