//! What a test does to the network, and what it asks it.

use super::MS;
use super::member::{Input, WakeOrder};
use super::network::{Link, Network, Seen};
use super::transcript::Transcript;
use leaselab::raft::{Index, RoleName};

impl Network {
    /// Writes down what happens from here on; this moment is the transcript's time 0.
    pub fn transcribe(&mut self, title: &str, names: &[&str]) {
        let mut transcript = Transcript::new(title, names);
        transcript.origin = self.now;
        self.transcript = Some(transcript);
    }

    pub fn show_heartbeats(&mut self, show: bool) {
        if let Some(transcript) = &mut self.transcript
            && std::mem::replace(&mut transcript.heartbeats, show) != show
        {
            let what = if show { "shown" } else { "not shown" };
            self.say(|_| format!("(heartbeats are {what} from here on)"));
        }
    }

    pub fn text(&self) -> &str {
        self.transcript.as_ref().map_or("", |transcript| transcript.text())
    }

    /// The election timeouts a member will draw, in ticks.
    pub fn script(&mut self, member: usize, timeouts: &[u64]) {
        self.members[member].script.extend(timeouts);
    }

    pub fn start(&mut self) {
        (0..self.members.len()).for_each(|member| self.restart(member));
    }

    pub fn link(&mut self, from: usize, to: usize) -> &mut Link {
        let n = self.members.len();
        &mut self.links[from * n + to]
    }

    /// Cuts, or mends, both directions between the members of one group and those of the other.
    pub fn cut(&mut self, these: &[usize], those: &[usize], cut: bool) {
        for (&a, &b) in these.iter().flat_map(|a| those.iter().map(move |b| (a, b))) {
            self.link(a, b).cut = cut;
            self.link(b, a).cut = cut;
        }
        self.say(|names| {
            let list = |of: &[usize]| of.iter().map(|&m| names[m].clone()).collect::<Vec<_>>().join(" ");
            let what = if cut { "cut" } else { "mended" };
            format!("({what}: {} | {})", list(these), list(those))
        });
    }

    pub fn role(&self, member: usize) -> Option<RoleName> {
        self.members[member].raft.as_ref().map(|raft| raft.role())
    }
    /// The leader of the highest term, if any member leads.
    pub fn leader(&self) -> Option<usize> {
        let leaders = self.members.iter().filter(|m| !m.paused);
        let leading = leaders.filter_map(|m| m.raft.as_ref().filter(|r| r.role() == RoleName::Leader));
        leading.max_by_key(|r| r.term()).map(|r| usize::from(r.id().0))
    }
    /// The terms of a member's log, in order.
    pub fn terms(&self, member: usize) -> Vec<u64> {
        let log = match &self.members[member].raft {
            Some(raft) => raft.log(),
            None => &self.members[member].disk.log,
        };
        (1..=log.last().0)
            .filter_map(|i| log.term(Index(i)))
            .map(|t| t.0)
            .collect()
    }

    pub fn crash(&mut self, member: usize) {
        if self.members[member].raft.is_some() {
            self.members[member].crash();
            self.see(member, Seen::Crashed);
        }
    }

    pub fn restart(&mut self, member: usize) {
        if self.members[member].raft.is_none() {
            self.members[member].start(self.now);
            self.see(member, Seen::Restarted);
            self.arm(member);
        }
    }

    pub fn pause(&mut self, member: usize) {
        self.members[member].paused = self.members[member].raft.is_some();
    }

    pub fn resume(&mut self, member: usize, order: WakeOrder) {
        if std::mem::take(&mut self.members[member].paused) {
            self.members[member].wake_order = order;
            if std::mem::take(&mut self.members[member].disk_done) {
                self.disk_done(member);
            } else if !self.members[member].is_blocked() {
                self.work_off(member);
            }
        }
    }

    /// A client's write, at this member; only a leader takes it.
    pub fn write(&mut self, member: usize, value: u64) {
        self.say(|names| format!("(client writes {value} at {})", names[member]));
        self.give(member, Input::Propose(value));
    }

    /// A client's linearizable read, at this member; its number.
    pub fn read(&mut self, member: usize) -> u64 {
        let number = self.next_read;
        self.next_read += 1;
        if self.members[member].raft.is_some() {
            self.see(member, Seen::ReadAsked(number));
            self.give(member, Input::Read(number));
        }
        number
    }

    /// When a member saw this, in ms since the transcript's time 0.
    pub fn when(&self, member: usize, what: &Seen) -> Vec<f64> {
        let origin = self.transcript.as_ref().map_or(0, |transcript| transcript.origin);
        let these = self
            .seen
            .iter()
            .filter(|(_, m, seen)| usize::from(m.0) == member && seen == what);
        these.map(|(at, ..)| (at - origin) as f64 / MS as f64).collect()
    }

    /// Up to this many ms after the transcript's time 0.
    pub fn run_until_ms(&mut self, ms: u64) {
        let origin = self.transcript.as_ref().map_or(0, |transcript| transcript.origin);
        self.run_until(origin + ms * MS);
    }
}
