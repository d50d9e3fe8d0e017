//! A watchdog device: a countdown in the kernel that resets the host unless it is pinged (patroni.md 6).
//!
//! | state  | input                        | commands |
//! |--------|------------------------------|----------|
//! | closed | ping                         | opens: countdown begins |
//! | open   | ping                         | countdown begins again |
//! | open   | close (the magic character)  | closed |
//! | open   | its agent dies or is paused  | nothing: the countdown goes on, that is the point |
//! | open   | countdown over               | the host is reset |

use crate::costs::host::BOOT;
use crate::engine::{Actor, Ctx, Draw, Input, TimerKey};
use crate::vocabulary::{Message, Note, Words};

const COUNTDOWN: TimerKey = TimerKey(0);
const DRAW_BOOT: Draw = Draw(0);

#[derive(Clone, Debug, Default)]
pub struct Watchdog {
    open: bool,
}

impl Actor<Words> for Watchdog {
    fn handle(&mut self, input: Input<Words>, ctx: &mut Ctx<'_, Words>) {
        match input {
            Input::Start => self.open = false,
            Input::Message(_, Message::WatchdogPing { timeout }) => {
                ctx.note(if self.open {
                    Note::WatchdogPinged { timeout }
                } else {
                    Note::WatchdogOpened { timeout }
                });
                self.open = true;
                ctx.set_timer(COUNTDOWN, timeout);
            }
            Input::Message(_, Message::WatchdogClose) if self.open => {
                self.open = false;
                ctx.cancel_timer(COUNTDOWN);
                ctx.note(Note::WatchdogClosed);
            }
            Input::Timer(COUNTDOWN) if self.open => {
                self.open = false;
                ctx.note(Note::WatchdogFires);
                let back_after = ctx.sample(DRAW_BOOT, &BOOT);
                ctx.reset_host(back_after);
            }
            _ => {}
        }
    }
}
