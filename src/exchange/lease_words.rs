//! The messages and notes of leases that give out tokens, and of what looks at these, as JSON. A token is a number, or text
//! when it has a timeline.

use super::trace_lines::ms;
use crate::engine::Span;
use crate::vocabulary::{Ask, Effect, EffectAnswer, Grant, LeaseMessage, LeaseNote, Token};
use crate::world::Named;
use serde_json::{Value, json};

pub(super) fn token(token: Option<Token>) -> Value {
    match token {
        Some(plain) if plain.to_string() == plain.0.to_string() => json!(plain.0),
        Some(on_timeline) => json!(on_timeline.to_string()),
        None => Value::Null,
    }
}

fn span(span: Option<Span>) -> Value {
    span.map_or(Value::Null, ms)
}

fn answer(answer: EffectAnswer) -> Value {
    match answer {
        EffectAnswer::Accepted => json!({ "kind": "accepted" }),
        EffectAnswer::Rejected { fence } => json!({ "kind": "rejected", "fence": token(Some(fence)) }),
        EffectAnswer::Repeated => json!({ "kind": "repeated" }),
    }
}

pub(super) fn message(message: &LeaseMessage, names: &dyn Named) -> Value {
    match *message {
        LeaseMessage::Ask { request, ask } => match ask {
            Ask::Acquire { lock } => {
                json!({ "kind": "lease_acquire", "request": request, "lock": lock.to_string() })
            }
            Ask::Renew { token: t } => json!({ "kind": "lease_renew", "request": request, "token": token(t) }),
            Ask::Release { token: t } => json!({ "kind": "lease_release", "request": request, "token": token(t) }),
        },
        LeaseMessage::Answer { request, grant } => match grant {
            Grant::Granted { token: t, ttl } => {
                json!({ "kind": "lease_granted", "request": request, "token": token(t), "ttl_ms": span(ttl) })
            }
            Grant::Renewed { ttl } => json!({ "kind": "lease_renewed", "request": request, "ttl_ms": span(ttl) }),
            Grant::Refused => json!({ "kind": "lease_refused", "request": request }),
            Grant::Released => json!({ "kind": "lease_released", "request": request }),
        },
        LeaseMessage::Guard {
            request,
            token: t,
            share,
        } => json!({ "kind": "guard", "request": request, "token": token(Some(t)), "for_share": share }),
        LeaseMessage::Guarded { request, holds } => json!({ "kind": "guarded", "request": request, "holds": holds }),
        LeaseMessage::Effect { request, effect } => match effect {
            Effect::Write {
                object,
                token: t,
                key,
                confirmed_by,
            } => json!({
                "kind": "write_object", "request": request, "object": object, "token": token(t), "key": key,
                "confirmed_by": confirmed_by.map(|node| names.node_name(node)),
            }),
            Effect::Stamp { token: t } => json!({ "kind": "stamp", "request": request, "token": token(t) }),
        },
        LeaseMessage::Done { request, answer: a } => {
            json!({ "kind": "effect_answer", "request": request, "answer": answer(a) })
        }
        LeaseMessage::Row(row) => json!({ "kind": "leader_row", "epoch": row.epoch }),
        LeaseMessage::RowFlushed { epoch } => json!({ "kind": "leader_row_flushed", "epoch": epoch }),
    }
}

pub(super) fn note(note: &LeaseNote, names: &dyn Named) -> Value {
    let name = |process| names.process_name(process);
    match *note {
        LeaseNote::Granted {
            to,
            lock,
            token: t,
            ttl,
        } => json!({
            "kind": "granted", "to": name(to), "lock": lock.to_string(), "token": token(t), "ttl_ms": span(ttl),
        }),
        LeaseNote::Renewed { to, token: t } => json!({ "kind": "renewed", "to": name(to), "token": token(t) }),
        LeaseNote::RenewalRefused { to, token: t } => {
            json!({ "kind": "renewal_refused", "to": name(to), "token": token(t) })
        }
        LeaseNote::Expired { token: t } => json!({ "kind": "expired", "token": token(Some(t)) }),
        LeaseNote::Released { by, token: t } => json!({ "kind": "released", "by": name(by), "token": token(t) }),
        LeaseNote::SessionGone { of, lock } => {
            json!({ "kind": "session_gone", "of": name(of), "lock": lock.to_string() })
        }
        LeaseNote::Forgot => json!({ "kind": "forgot" }),
        LeaseNote::Blocked { who } => json!({ "kind": "blocked", "who": name(who) }),
        LeaseNote::Promoted { timeline, epoch } => {
            json!({ "kind": "database_promoted", "timeline": timeline, "epoch": epoch })
        }
        LeaseNote::Holds { token: t, span: s } => json!({ "kind": "holds", "token": token(t), "for_ms": span(s) }),
        LeaseNote::Extends { span: s } => json!({ "kind": "extends", "for_ms": ms(s) }),
        LeaseNote::Loses { token: t, why } => json!({ "kind": "loses", "token": token(t), "why": why }),
        LeaseNote::Looked { holds } => json!({ "kind": "looked", "holds": holds }),
        LeaseNote::Told { object, answer: a } => json!({ "kind": "told", "object": object, "answer": answer(a) }),
        LeaseNote::Accepted {
            by,
            object,
            token: t,
            confirmed_by,
        } => json!({
            "kind": "effect_accepted", "by": name(by), "object": object, "token": token(t),
            "confirmed_by": confirmed_by.map(|node| names.node_name(node)),
        }),
        LeaseNote::Rejected {
            by,
            object,
            token: t,
            fence,
        } => json!({
            "kind": "effect_rejected", "by": name(by), "object": object, "token": token(t), "fence": token(Some(fence)),
        }),
        LeaseNote::Repeated { by, object, key } => {
            json!({ "kind": "effect_repeated", "by": name(by), "object": object, "key": key })
        }
        LeaseNote::Stamped { by, token: t } => json!({ "kind": "stamped", "by": name(by), "token": token(Some(t)) }),
        LeaseNote::GoesOutside { commit, token: t } => {
            json!({ "kind": "goes_outside", "commit": commit, "token": token(t) })
        }
        LeaseNote::HandsOut { token: t } => json!({ "kind": "hands_out", "token": token(Some(t)) }),
    }
}
