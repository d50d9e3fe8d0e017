//! Failure detectors: is the other dead, or only slow? A fixed timeout, and the two published accrual detectors, fed by the same
//! heartbeats (protocols.md 17).
//!
//! | rule      | its level                                            | suspects        |
//! |-----------|------------------------------------------------------|-----------------|
//! | fixed     | silence over timeout                                 | above 1         |
//! | Akka      | φ = −log10 P(longer silence), gaps taken as normal   | above threshold |
//! | Cassandra | the same, gaps taken as exponential                  | above threshold |
//!
//! φ of 8 means that one silence in 10⁸ is as long, if the gaps are what the rule takes them for. No level is safety: a
//! suspicion is not a fence, and two observers may disagree at one instant. All count by the observer's own monotonic clock,
//! so an observer that stood still finds everybody silent.
//!
//! Levels are floating point: nothing in the engine is decided on them.

use crate::engine::{MonoTime, Span};
use std::collections::VecDeque;

/// How silence is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    Fixed { timeout: Span },
    Akka(Akka),
    Cassandra(Cassandra),
}

/// Akka's settings (akka.remote.PhiAccrualFailureDetector).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Akka {
    pub threshold: f64,
    /// The standard deviation is held to be no less, however regular the heartbeats were.
    pub deviation_min: Span,
    /// Silence that is forgiven on top of the mean.
    pub acceptable_pause: Span,
    pub samples: usize,
    /// The window begins with this, more and less by a quarter.
    pub first_estimate: Span,
}

impl Akka {
    /// akka.cluster.failure-detector, as shipped.
    pub const CLUSTER: Akka = Akka {
        threshold: 8.0,
        deviation_min: Span::from_millis(100),
        acceptable_pause: Span::from_secs(3),
        samples: 1_000,
        first_estimate: Span::from_secs(1),
    };
    /// akka.remote.watch-failure-detector, as shipped.
    pub const DEATH_WATCH: Akka = Akka {
        threshold: 10.0,
        acceptable_pause: Span::from_secs(10),
        samples: 200,
        ..Akka::CLUSTER
    };
}

/// Cassandra's settings (gms.FailureDetector).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cassandra {
    /// phi_convict_threshold.
    pub threshold: f64,
    pub samples: usize,
    /// The window begins with this; a longer gap is not taken into it.
    pub initial: Span,
    /// An observer that has not looked for longer stood still itself: it convicts nobody in this look.
    pub local_pause_max: Span,
}

impl Cassandra {
    /// As shipped.
    pub const SHIPPED: Cassandra = Cassandra {
        threshold: 8.0,
        samples: 1_000,
        initial: Span::from_secs(2),
        local_pause_max: Span::from_secs(5),
    };
}

/// Akka's φ after a silence, when gaps have this mean and standard deviation. The normal distribution is approximated by a
/// logistic one; for a long silence it is infinite.
///
/// ```
/// use leaselab::protocols::phi_normal;
/// use leaselab::engine::Span;
/// let ms = Span::from_millis;
/// assert!((phi_normal(ms(1_200), 1e6, 1e5) - 1.643).abs() < 0.0005);
/// ```
pub fn phi_normal(silence: Span, mean_us: f64, deviation_us: f64) -> f64 {
    let y = (silence.0 as f64 - mean_us) / deviation_us;
    let e = (-y * (1.5976 + 0.070_566 * y * y)).exp();
    if y > 0.0 {
        -(e / (1.0 + e)).log10()
    } else {
        -(1.0 - 1.0 / (1.0 + e)).log10()
    }
}

/// Cassandra's φ.
pub fn phi_exponential(silence: Span, mean_us: f64) -> f64 {
    silence.0 as f64 / mean_us * std::f64::consts::LOG10_E
}

/// The last gaps between heartbeats, in µs. Sums are whole numbers, so that nothing creeps in.
#[derive(Clone, Debug, Default)]
struct Window {
    gaps: VecDeque<u64>,
    sum: u128,
    squares: u128,
}

impl Window {
    fn add(&mut self, gap: Span, samples: usize) {
        if self.gaps.len() >= samples.max(1)
            && let Some(oldest) = self.gaps.pop_front().map(u128::from)
        {
            self.sum -= oldest;
            self.squares -= oldest * oldest;
        }
        let gap = gap.0;
        self.gaps.push_back(gap);
        self.sum += u128::from(gap);
        self.squares += u128::from(gap) * u128::from(gap);
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.gaps.len() as f64
    }

    fn deviation(&self) -> f64 {
        let n = self.gaps.len() as u128;
        // n · Σx² − (Σx)², which is never negative.
        ((n * self.squares - self.sum * self.sum) as f64).sqrt() / n as f64
    }
}

/// One observer's view of one other.
///
/// ```
/// use leaselab::engine::{MonoTime, Span};
/// use leaselab::protocols::{Detector, Rule};
/// let mut detector = Detector::new(Rule::Fixed { timeout: Span::from_secs(2) });
/// detector.heartbeat(MonoTime(1_000_000));
/// assert!(!detector.suspects(MonoTime(3_000_000)));
/// assert!(detector.suspects(MonoTime(3_000_001)));
/// ```
#[derive(Clone, Debug)]
pub struct Detector {
    rule: Rule,
    window: Window,
    last: Option<MonoTime>,
    last_look: Option<MonoTime>,
    stood_still: Option<MonoTime>,
}

impl Detector {
    pub fn new(rule: Rule) -> Detector {
        Detector {
            rule,
            window: Window::default(),
            last: None,
            last_look: None,
            stood_still: None,
        }
    }

    pub fn heartbeat(&mut self, at: MonoTime) {
        let suspected = self.suspects(at);
        let gap = self.last.replace(at).map(|last| at.since(last));
        match (self.rule, gap) {
            (Rule::Fixed { .. }, _) => {}
            (Rule::Akka(akka), None) => {
                let quarter = akka.first_estimate / 4;
                self.window
                    .add(akka.first_estimate.saturating_sub(quarter), akka.samples);
                self.window.add(akka.first_estimate + quarter, akka.samples);
            }
            // The gap that ends a suspicion is not learned from.
            (Rule::Akka(akka), Some(gap)) if !suspected => self.window.add(gap, akka.samples),
            (Rule::Akka(_), Some(_)) => {}
            (Rule::Cassandra(cassandra), None) => self.window.add(cassandra.initial, cassandra.samples),
            (Rule::Cassandra(cassandra), Some(gap)) if gap <= cassandra.initial => {
                self.window.add(gap, cassandra.samples);
            }
            (Rule::Cassandra(_), Some(_)) => {}
        }
    }

    /// How suspicious the silence is; nothing before the first heartbeat, when everybody is taken for alive.
    pub fn level(&self, at: MonoTime) -> f64 {
        let Some(last) = self.last else { return 0.0 };
        let silence = at.since(last);
        match self.rule {
            Rule::Fixed { timeout } => silence.0 as f64 / timeout.0 as f64,
            Rule::Akka(akka) => {
                let mean = self.window.mean() + akka.acceptable_pause.0 as f64;
                let deviation = self.window.deviation().max(akka.deviation_min.0 as f64);
                phi_normal(silence, mean, deviation)
            }
            Rule::Cassandra(_) => phi_exponential(silence, self.window.mean()),
        }
    }

    fn threshold(&self) -> f64 {
        match self.rule {
            Rule::Fixed { .. } => 1.0,
            Rule::Akka(akka) => akka.threshold,
            Rule::Cassandra(cassandra) => cassandra.threshold,
        }
    }

    pub fn suspects(&self, at: MonoTime) -> bool {
        self.level(at) > self.threshold()
    }

    /// The first instant at which it suspects, if nothing more comes; nothing before the first heartbeat.
    pub fn suspects_from(&self) -> Option<MonoTime> {
        let last = self.last?;
        let mut beyond = Span::from_millis(1);
        // No level stays below its threshold for ever; the guard is against settings like an infinite one.
        while !self.suspects(last + beyond) {
            beyond = beyond * 2;
            if beyond > Span::from_secs(1 << 40) {
                return None;
            }
        }
        let (mut trusts, mut suspects) = (0, beyond.0);
        while suspects - trusts > 1 {
            let middle = trusts + (suspects - trusts) / 2;
            if self.suspects(last + Span(middle)) {
                suspects = middle;
            } else {
                trusts = middle;
            }
        }
        Some(last + Span(suspects))
    }

    /// A look at the other, as an observer does it from time to time. Cassandra convicts nobody in a look that comes later than
    /// `local_pause_max` after the one before, nor for as long after it.
    pub fn look(&mut self, at: MonoTime) -> bool {
        let before = self.last_look.replace(at);
        let Rule::Cassandra(cassandra) = self.rule else {
            return self.suspects(at);
        };
        if before.is_some_and(|before| at.since(before) > cassandra.local_pause_max) {
            self.stood_still = Some(at);
        }
        let still = self
            .stood_still
            .is_some_and(|since| at.since(since) < cassandra.local_pause_max);
        !still && self.suspects(at)
    }
}
