#![cfg(not(target_arch = "wasm32"))]
//! What a heartbeat costs: nothing on the heap, and a message of some words. Hours of simulated time are mostly heartbeats.

use leaselab::raft::{Command, Config, Durable, MemberId, Message, Raft, Step, Tick};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what this thread asks of the heap.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static HEAP: Counting = Counting;

/// Gives every message to whom it is meant for, until there are none; how many there were.
fn settle(
    members: &mut [Raft<u64>],
    now: Tick,
    commands: &mut Vec<Command<u64>>,
    mail: &mut Vec<(usize, Message<u64>)>,
) -> u64 {
    let mut messages = 0;
    let mut from = 0;
    loop {
        for command in commands.drain(..) {
            if let Command::Send { to, message, .. } = command {
                mail.push((from << 8 | usize::from(to.0), message));
                messages += 1;
            }
        }
        let Some((link, message)) = mail.pop() else {
            return messages;
        };
        let sender = MemberId((link >> 8) as u8);
        from = link & 0xff;
        let draw = &mut |_| 0;
        members[from].receive(sender, message, &mut Step { now, draw, commands });
    }
}

#[test]
fn a_heartbeat_and_its_answers_allocate_nothing() {
    let start = |id| {
        let (id, leader) = (MemberId(id), MemberId(0));
        Raft::of_running_group(id, Config::etcd(5), Durable::default(), leader, &mut |_| 9)
    };
    let mut members: Vec<Raft<u64>> = (0..5).map(start).collect();
    let (mut commands, mut mail) = (Vec::with_capacity(64), Vec::with_capacity(64));
    let (before, mut messages) = (ALLOCATIONS.with(Cell::get), 0);
    for now in (1..=1_000).map(Tick) {
        let (draw, commands_of) = (&mut |_| 0, &mut commands);
        members[0].tick(&mut Step {
            now,
            draw,
            commands: commands_of,
        });
        messages += settle(&mut members, now, &mut commands, &mut mail);
    }
    assert_eq!(messages, 8_000, "four heartbeats and four answers each time");
    assert_eq!(ALLOCATIONS.with(Cell::get), before);
}

#[test]
fn a_message_is_eight_words_at_most() {
    assert!(size_of::<Message<u64>>() <= 64);
}
