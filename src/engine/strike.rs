//! Faults taking hold and letting go.

use super::actor::Input;
use super::fault::{Act, ResumeOrder, Victim};
use super::ids::{EventId, HostId, ProcId};
use super::kernel::{Arrival, Kernel, Led};
use super::trace::{Life, Observer, Place, Signal, What, Wire};

impl<W: Wire> Kernel<W> {
    pub(super) fn strike<O: Observer<W>>(&mut self, obs: &mut O, index: u16, begins: bool) {
        let Some(strike) = self.strikes.get(usize::from(index)) else {
            return;
        };
        let acts = strike.acts.clone();
        let place = match acts.first() {
            Some(Act::Kill { victim, .. } | Act::Pause { victim, .. }) => match *victim {
                Victim::Host(host) => Place::Host(host),
                Victim::Process(process) => Place::Process(process),
            },
            Some(Act::Terminate { process } | Act::Order { process, .. }) => Place::Process(*process),
            Some(Act::Disk { host, .. } | Act::StepClock { host, .. } | Act::ChangeRate { host, .. }) => {
                Place::Host(*host)
            }
            _ => Place::Network,
        };
        let Some(event) = self.record(obs, true, place, None, None, || What::Fault { index, begins }) else {
            return;
        };
        let led = (Some(event), self.stamp_at(place));
        for act in acts {
            if begins {
                self.begin(obs, index, event, led, act);
            } else {
                self.cease(obs, index, event, led, act);
            }
        }
    }

    fn begin<O: Observer<W>>(&mut self, obs: &mut O, fault: u16, event: EventId, led: Led, act: Act<W::Order>) {
        match act {
            Act::Kill {
                victim: Victim::Host(host),
                silent,
            } => {
                let h = &mut self.hosts[host.index()];
                h.kills = h.kills.saturating_add(1);
                self.power_off(obs, host, silent, led);
            }
            Act::Kill {
                victim: Victim::Process(process),
                ..
            } => {
                let p = &mut self.processes[process.index()];
                p.held_down = p.held_down.saturating_add(1);
                self.stop(obs, process, Life::Killed, led, false);
            }
            Act::Pause {
                victim: Victim::Host(host),
                mono_runs,
                ..
            } => {
                let now = self.now;
                let h = &mut self.hosts[host.index()];
                h.paused_by.push((fault, mono_runs));
                h.halted_by = Some(event);
                if !mono_runs {
                    h.clock.stop_mono(now, true);
                }
                // A second pause of what stands still already changes nothing.
                if h.paused_by.len() > 1 {
                    return;
                }
                self.record(obs, true, Place::Host(host), Some(event), None, || {
                    What::Life(Life::Paused)
                });
            }
            Act::Pause {
                victim: Victim::Process(process),
                ..
            } => {
                let p = &mut self.processes[process.index()];
                if p.alive {
                    p.paused_by.push(fault);
                    p.halted_by = Some(event);
                    if p.paused_by.len() > 1 {
                        return;
                    }
                    self.record(obs, true, Place::Process(process), Some(event), None, || {
                        What::Life(Life::Paused)
                    });
                }
            }
            Act::Cut { from, to, mode } => self.links.between(from, to).cut(fault, event, mode),
            Act::Slow { from, to, more } => self.links.between(from, to).slow(fault, event, more),
            Act::Lose { from, to, loss } => self.links.between(from, to).lose(fault, event, loss),
            Act::Disk { host, change } => self.change_disk(host, fault, event, change),
            Act::StepClock { host, by_us } => {
                let now = self.now;
                self.hosts[host.index()].clock.step_wall(now, by_us);
            }
            Act::ChangeRate { host, ppm } => self.change_rate(host, ppm),
            Act::Terminate { process } => {
                let p = &mut self.processes[process.index()];
                p.held_down = p.held_down.saturating_add(1);
                self.arrive(process, Arrival::led(Input::Signal(Signal::Terminate), led));
            }
            Act::Order { process, order } => {
                self.processes[process.index()].orders.push((fault, order.clone()));
                self.arrive(process, Arrival::led(Input::Order { order, begins: true }, led));
            }
        }
    }

    fn cease<O: Observer<W>>(&mut self, obs: &mut O, fault: u16, event: EventId, led: Led, act: Act<W::Order>) {
        match act {
            Act::Kill {
                victim: Victim::Host(host),
                ..
            } => {
                let h = &mut self.hosts[host.index()];
                h.kills = h.kills.saturating_sub(1);
                self.power_on(obs, host, led);
            }
            Act::Kill {
                victim: Victim::Process(process),
                ..
            } => self.let_up(obs, process, led),
            Act::Terminate { process } => {
                let p = &mut self.processes[process.index()];
                p.starts_again = p.alive && p.boots;
                self.let_up(obs, process, led);
            }
            Act::Pause {
                victim: Victim::Host(host),
                order,
                ..
            } => {
                self.resume_host(obs, fault, host, event, order);
            }
            Act::Pause {
                victim: Victim::Process(process),
                order,
                ..
            } => {
                let p = &mut self.processes[process.index()];
                let before = p.paused_by.len();
                p.paused_by.retain(|&f| f != fault);
                // A process that was killed and started again since is no longer held by this pause.
                if p.alive && p.paused_by.len() < before && p.paused_by.is_empty() {
                    p.halted_by = None;
                    self.record(obs, true, Place::Process(process), Some(event), None, || {
                        What::Life(Life::Resumed)
                    });
                    self.take_up(process, order);
                }
            }
            Act::Cut { from, to, .. } | Act::Slow { from, to, .. } | Act::Lose { from, to, .. } => {
                self.links.between(from, to).heal(fault);
            }
            Act::Disk { host, .. } => self.heal_disk(host, fault),
            Act::StepClock { .. } => {}
            Act::ChangeRate { host, ppm } => self.change_rate(host, -ppm),
            Act::Order { process, order } => {
                self.processes[process.index()].orders.retain(|(by, _)| *by != fault);
                self.arrive(process, Arrival::led(Input::Order { order, begins: false }, led));
            }
        }
    }

    /// A fault no longer keeps a process down.
    fn let_up<O: Observer<W>>(&mut self, obs: &mut O, process: ProcId, led: Led) {
        let p = &mut self.processes[process.index()];
        p.held_down = p.held_down.saturating_sub(1);
        if p.held_down == 0 && p.boots {
            self.start(obs, process, led);
        }
    }

    fn resume_host<O: Observer<W>>(
        &mut self,
        obs: &mut O,
        fault: u16,
        host: HostId,
        event: EventId,
        order: ResumeOrder,
    ) {
        let now = self.now;
        let h = &mut self.hosts[host.index()];
        h.paused_by.retain(|&(f, _)| f != fault);
        if h.paused_by.iter().all(|&(_, mono_runs)| mono_runs) {
            h.clock.stop_mono(now, false);
        }
        if !h.paused_by.is_empty() {
            return;
        }
        h.halted_by = None;
        self.record(obs, true, Place::Host(host), Some(event), None, || {
            What::Life(Life::Resumed)
        });
        for process in self.on(host) {
            self.take_up(process, order);
        }
    }

    fn change_rate(&mut self, host: HostId, ppm: i32) {
        let now = self.now;
        self.hosts[host.index()].clock.change_rate(now, ppm);
        for process in self.on(host) {
            self.requeue_timers(process);
        }
    }

    fn on(&self, host: HostId) -> Vec<ProcId> {
        (0..self.processes.len())
            .filter(|&p| self.processes[p].host == host)
            .map(|p| ProcId(p as u16))
            .collect()
    }
}
