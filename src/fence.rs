//! A resource that can tell an old holder from a new one: it keeps the highest token that it has seen and refuses what
//! comes with an older one. It compares numbers and measures nothing, so clocks and pauses do not reach it (protocols.md 1(c)).
//!
//! | state           | input   | commands |
//! |-----------------|---------|----------|
//! | fence, owners   | a write | accepts it, raises the fence, notes who owns the object; or refuses it |
//! |                 | a stamp | raises the fence of every object; or refuses |
//! | keys done       | a write with a key that was done | answers that it is done already |
//!
//! The fence of an object closes when the newer token reaches it, not when it is granted: until then an older holder gets
//! through (protocols.md 1, F-3). Some resources cannot compare at all (an e-mail gateway); what helps there is that the same
//! thing is done once only (F-10).

use crate::engine::{Actor, ConnId, Ctx, Input, ProcId};
use crate::vocabulary::{Effect, EffectAnswer, LeaseMessage, LeaseNote, Message, Note, Object, Token, Words};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How a resource compares the token of a write with the highest that it has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FenceRule {
    /// Not at all.
    #[default]
    Off,
    /// It must not be lower: the holder may write again and again.
    AtLeast,
    /// It must be higher: refuses the second write of one holder (F-8).
    Greater,
    /// It must be the same as that of the first write ever: refuses every later holder (F-11).
    Equal,
}

/// What one fence stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FenceScope {
    /// Each object has its own.
    #[default]
    Row,
    /// One for all objects, checked with every write.
    Root,
}

/// The fences of a resource, as a value.
///
/// ```
/// use leaselab::fence::{Fence, FenceRule, FenceScope};
/// use leaselab::vocabulary::{Object, Token};
/// let mut fence = Fence::new(FenceRule::AtLeast, FenceScope::Row);
/// assert_eq!(fence.admit(Object(1), Some(Token(33))), Ok(()));
/// assert_eq!(fence.admit(Object(1), Some(Token(34))), Ok(()));
/// assert_eq!(fence.admit(Object(1), Some(Token(33))), Err(Token(34)));
/// assert_eq!(fence.admit(Object(2), Some(Token(33))), Ok(()), "34 was never seen there");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    rule: FenceRule,
    scope: FenceScope,
    /// Every object has seen at least this.
    floor: Option<Token>,
    seen: BTreeMap<Object, Token>,
}

impl Fence {
    pub fn new(rule: FenceRule, scope: FenceScope) -> Fence {
        Fence {
            rule,
            scope,
            ..Fence::default()
        }
    }

    /// The highest token that a write of this object is compared with.
    pub fn of(&self, object: Object) -> Option<Token> {
        match self.scope {
            FenceScope::Row => self.seen.get(&object).copied().max(self.floor),
            FenceScope::Root => self.floor,
        }
    }

    /// Whether a write of the object goes through; then the fence is raised to its token. A write without a token is none
    /// that a fence could hold up: who fences hands out tokens.
    ///
    /// # Errors
    /// The fence that refused it.
    pub fn admit(&mut self, object: Object, token: Option<Token>) -> Result<(), Token> {
        let Some(token) = token else { return Ok(()) };
        self.compare(token, self.of(object))?;
        let seen = match self.scope {
            FenceScope::Row => self.seen.entry(object).or_insert(token),
            FenceScope::Root => self.floor.get_or_insert(token),
        };
        *seen = token.max(*seen);
        Ok(())
    }

    /// Raises the fence of all objects at once.
    ///
    /// # Errors
    /// The fence that is higher already.
    pub fn stamp(&mut self, token: Token) -> Result<(), Token> {
        let highest = self.seen.values().copied().max().max(self.floor);
        self.compare(token, highest)?;
        self.floor = Some(token).max(self.floor);
        Ok(())
    }

    fn compare(&self, token: Token, seen: Option<Token>) -> Result<(), Token> {
        let Some(seen) = seen else { return Ok(()) };
        let passes = match self.rule {
            FenceRule::Off => true,
            FenceRule::AtLeast => token >= seen,
            FenceRule::Greater => token > seen,
            FenceRule::Equal => token == seen,
        };
        if passes { Ok(()) } else { Err(seen) }
    }
}

/// What a resource does with effects, for the actors that are one.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    fence: Fence,
    /// It remembers what was done by which key.
    keeps_keys: bool,
    done: BTreeSet<u32>,
}

impl Effects {
    pub fn new(fence: Fence, keeps_keys: bool) -> Effects {
        let done = BTreeSet::new();
        Effects {
            fence,
            keeps_keys,
            done,
        }
    }

    /// Carries an effect out or refuses it, and notes which.
    pub fn carry_out(&mut self, by: ProcId, effect: Effect, ctx: &mut Ctx<'_, Words>) -> EffectAnswer {
        let (note, answer) = match effect {
            Effect::Write {
                object,
                token,
                key,
                confirmed_by,
            } => {
                let accepted = LeaseNote::Accepted {
                    by,
                    object,
                    token,
                    confirmed_by,
                };
                self.write(accepted, by, object, token, key)
            }
            Effect::Stamp { token } => {
                let token = token.unwrap_or_default();
                match self.fence.stamp(token) {
                    Ok(()) => (LeaseNote::Stamped { by, token }, EffectAnswer::Accepted),
                    Err(fence) => rejected(by, None, Some(token), fence),
                }
            }
        };
        ctx.note(Note::Lease(note));
        answer
    }

    fn write(
        &mut self,
        accepted: LeaseNote,
        by: ProcId,
        object: Object,
        token: Option<Token>,
        key: Option<u32>,
    ) -> (LeaseNote, EffectAnswer) {
        if let Some(key) = key.filter(|key| self.keeps_keys && self.done.contains(key)) {
            return (LeaseNote::Repeated { by, object, key }, EffectAnswer::Repeated);
        }
        if let Err(fence) = self.fence.admit(object, token) {
            return rejected(by, Some(object), token, fence);
        }
        self.done.extend(key);
        (accepted, EffectAnswer::Accepted)
    }
}

fn rejected(by: ProcId, object: Option<Object>, token: Option<Token>, fence: Token) -> (LeaseNote, EffectAnswer) {
    let note = LeaseNote::Rejected {
        by,
        object,
        token,
        fence,
    };
    (note, EffectAnswer::Rejected { fence })
}

/// A resource on a host of its own.
#[derive(Clone, Debug)]
pub struct Resource {
    effects: Effects,
    clients: BTreeMap<ConnId, ProcId>,
}

impl Resource {
    pub fn new(effects: Effects) -> Resource {
        let clients = BTreeMap::new();
        Resource { effects, clients }
    }
}

impl Actor<Words> for Resource {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            // What it keeps is on disk; its connections were not.
            Input::Start => self.clients.clear(),
            Input::Accepted(conn, from) => {
                self.clients.insert(conn, from);
            }
            Input::Ended(conn, _) => {
                self.clients.remove(&conn);
            }
            Input::Message(conn, Message::Lease(LeaseMessage::Effect { request, effect })) => {
                if let Some(&by) = self.clients.get(&conn) {
                    let answer = self.effects.carry_out(by, effect, ctx);
                    ctx.send(conn, Message::Lease(LeaseMessage::Done { request, answer }));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fence(rule: FenceRule, scope: FenceScope) -> impl FnMut(u16, u64) -> bool {
        let mut fence = Fence::new(rule, scope);
        move |object, token| fence.admit(Object(object), Some(Token(token))).is_ok()
    }

    #[test]
    fn a_holder_may_write_twice_unless_the_fence_wants_a_higher_token_each_time() {
        let mut at_least = fence(FenceRule::AtLeast, FenceScope::Row);
        assert_eq!([at_least(1, 33), at_least(1, 33)], [true, true]);
        let mut greater = fence(FenceRule::Greater, FenceScope::Row);
        assert_eq!([greater(1, 33), greater(1, 33), greater(1, 34)], [true, false, true]);
    }

    #[test]
    fn an_equality_fence_keeps_every_later_holder_out() {
        let mut equal = fence(FenceRule::Equal, FenceScope::Row);
        assert_eq!([equal(1, 34), equal(1, 33), equal(1, 35)], [true, false, false]);
    }

    #[test]
    fn a_root_fence_closes_for_all_objects_with_the_first_write_of_any() {
        let mut root = fence(FenceRule::AtLeast, FenceScope::Root);
        assert_eq!([root(1, 34), root(2, 33)], [true, false]);
        let mut row = fence(FenceRule::AtLeast, FenceScope::Row);
        assert_eq!([row(1, 34), row(2, 33)], [true, true]);
    }

    #[test]
    fn a_stamp_closes_objects_that_were_never_written_and_an_older_one_opens_none() {
        let mut fence = Fence::new(FenceRule::AtLeast, FenceScope::Row);
        assert_eq!(fence.stamp(Token(34)), Ok(()));
        assert_eq!(fence.admit(Object(5), Some(Token(33))), Err(Token(34)));
        assert_eq!(fence.stamp(Token(33)), Err(Token(34)));
        assert_eq!(fence.of(Object(5)), Some(Token(34)));
    }

    #[test]
    fn without_a_rule_the_fence_still_knows_what_it_has_seen() {
        let mut fence = Fence::new(FenceRule::Off, FenceScope::Row);
        for token in [34, 33] {
            assert_eq!(fence.admit(Object(1), Some(Token(token))), Ok(()));
        }
        assert_eq!(fence.of(Object(1)), Some(Token(34)));
    }
}
