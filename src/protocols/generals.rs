//! Two generals who must attack together and can only send messengers, who may not arrive (protocols.md 19.3).
//!
//! A sends the hour, B acknowledges, A acknowledges that, and so on: `k` messages in all, each sent only when the one before
//! it has arrived. Each attacks when all that it was to receive has come. Whoever sends the last message cannot know whether
//! it arrived, and attacks in any case; so for every `k` the loss of exactly the last leaves one of them alone.

/// A plan: how many messages there are, and in how many copies each is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub messages: u32,
    pub copies: u32,
}

/// Who attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attack {
    pub a: bool,
    pub b: bool,
}

impl Attack {
    pub fn is_alone(self) -> bool {
        self.a != self.b
    }
}

/// How likely it is that both attack, one alone, or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    pub both: f64,
    pub one_alone: f64,
    pub none: f64,
}

impl Plan {
    /// What happens when of the messages, counted from 1, those are lost for which `lost` says so: all copies of them.
    ///
    /// ```
    /// use leaselab::protocols::GeneralsPlan;
    /// let plan = GeneralsPlan { messages: 3, copies: 1 };
    /// let attack = plan.carry_out(|message| message == 3);
    /// assert!(attack.a && !attack.b, "A sent the last one and is alone");
    /// ```
    pub fn carry_out(self, lost: impl Fn(u32) -> bool) -> Attack {
        let arrived = (1..=self.messages).take_while(|&message| !lost(message)).count() as u32;
        // A sends those with odd numbers and receives the others.
        let last_to = |sender_is_a: bool| (1..=self.messages).rev().find(|n| (n % 2 == 1) == sender_is_a);
        let has_all = |last: Option<u32>| last.is_none_or(|last| arrived >= last);
        Attack {
            // Without any message A still knows its own plan, and B knows of none.
            a: has_all(last_to(false)),
            b: self.messages > 0 && has_all(last_to(true)),
        }
    }

    /// The adversary drops exactly the last message.
    pub fn without_the_last(self) -> Attack {
        self.carry_out(|message| message == self.messages)
    }

    /// When each copy is lost with this probability, by itself.
    pub fn chances(self, loss: f64) -> Chances {
        let message_lost = loss.powi(self.copies as i32);
        let arrives = 1.0 - message_lost;
        // One message lost ends the chain: if it is the last one, somebody is alone; if not, its sender still waits for an answer.
        let both = arrives.powi(self.messages as i32);
        let one_alone = match self.messages {
            0 => 1.0,
            k => message_lost * arrives.powi(k as i32 - 1),
        };
        let both = if self.messages == 0 { 0.0 } else { both };
        Chances {
            both,
            one_alone,
            none: 1.0 - both - one_alone,
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn for_every_number_of_acknowledgements_the_loss_of_the_last_message_leaves_its_sender_alone() {
        for messages in 1..=50 {
            let plan = Plan { messages, copies: 1 };
            let attack = plan.without_the_last();
            assert!(attack.is_alone());
            assert_eq!(attack.a, messages % 2 == 1, "who sent it attacks");
            assert_eq!(plan.carry_out(|_| false), Attack { a: true, b: true });
        }
    }

    #[test]
    fn pushing_disagreement_down_also_kills_agreement() {
        let numbers = [(0.30, 0.70), (0.21, 0.49), (0.147, 0.343), (0.1029, 0.2401)];
        for (messages, (alone, both)) in (1..).zip(numbers) {
            let chances = Plan { messages, copies: 1 }.chances(0.3);
            assert!((chances.one_alone - alone).abs() < 1e-9, "{chances:?}");
            assert!((chances.both - both).abs() < 1e-9, "{chances:?}");
        }
    }

    #[test]
    fn chances_are_the_sum_over_everything_that_can_be_lost() {
        for messages in 0..=8_u32 {
            for copies in 1..=2 {
                let plan = Plan { messages, copies };
                let lost = 0.3_f64.powi(copies as i32);
                let mut sums = [0.0; 3];
                for pattern in 0..1_u32 << messages {
                    let n = pattern.count_ones() as i32;
                    let likely = lost.powi(n) * (1.0 - lost).powi(messages as i32 - n);
                    let attack = plan.carry_out(|message| pattern >> (message - 1) & 1 == 1);
                    let which = match (attack.a, attack.b) {
                        (true, true) => 0,
                        (false, false) => 2,
                        _ => 1,
                    };
                    sums[which] += likely;
                }
                let Chances { both, one_alone, none } = plan.chances(0.3);
                for (sum, chance) in sums.into_iter().zip([both, one_alone, none]) {
                    assert!(
                        (sum - chance).abs() < 1e-9,
                        "{plan:?}: {sums:?} {both} {one_alone} {none}"
                    );
                }
            }
        }
    }

    #[test]
    fn more_messengers_make_the_loss_rarer_and_never_impossible() {
        for copies in 1..=20 {
            let chances = Plan { messages: 1, copies }.chances(0.3);
            assert!((chances.one_alone - 0.3_f64.powi(copies as i32)).abs() < 1e-12 && chances.one_alone > 0.0);
        }
    }
}
