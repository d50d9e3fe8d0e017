//! "Concurrent or caused?" of two events, answered by their vector clocks, with the reason in sentences made of the stamps, and
//! what their Lamport numbers alone would have told.

use super::causal::Relation;
use super::stamped::Stamped;
use super::vector::Vector;
use std::cmp::Ordering;

/// How two events stand to each other, and how one knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How the first stands to the second: `Past` when it happened before it.
    pub relation: Relation,
    /// By the vector clocks.
    pub reason: String,
    /// What the Lamport numbers tell, and what they do not.
    pub by_number: String,
}

/// An event as people call it, such as "A sends order".
pub type Named<'a> = (&'a str, &'a Stamped);

/// Whether one of two different events could have led to the other. `processes` are their names, by number.
pub fn caused(a: Named<'_>, b: Named<'_>, processes: &[String]) -> Answer {
    let relation = match a.1.vector.partial_cmp(&b.1.vector) {
        Some(Ordering::Less) => Relation::Past,
        Some(Ordering::Greater) => Relation::Future,
        Some(Ordering::Equal) => Relation::Itself,
        None => Relation::Concurrent,
    };
    let reason = match relation {
        Relation::Past => led(a, b, processes),
        Relation::Future => led(b, a, processes),
        // Vectors always tell; what is unknown of a part of a run never comes here.
        Relation::Concurrent | Relation::Unknown => {
            let (of_a, of_b) = (unknown(a, b, processes), unknown(b, a, processes));
            format!(
                "Concurrent: {of_a} {of_b} Nothing that {} knew could have come from the other.",
                either(a, b)
            )
        }
        Relation::Itself => format!("“{}” and “{}” have the same vector: they are one event.", a.0, b.0),
    };
    let by_number = by_number(a, b, relation);
    Answer {
        relation,
        reason,
        by_number,
    }
}

fn either(a: Named<'_>, b: Named<'_>) -> &'static str {
    if a.1.process == b.1.process { "it" } else { "either" }
}

fn shown(vector: &Vector, processes: &[String]) -> String {
    Vector::new(vector.entries(processes.len())).to_string()
}

fn name(process: usize, processes: &[String]) -> &str {
    processes.get(process).map_or("?", String::as_str)
}

/// `cause` happened before `effect`.
fn led(cause: Named<'_>, effect: Named<'_>, processes: &[String]) -> String {
    let process = cause.1.process;
    let (own, known) = (cause.1.vector.entry(process), effect.1.vector.entry(process));
    format!(
        "“{}” {} happened before “{}” {}: it is event {own} of {}, and of {}’s events the other knows {known}. \
         No entry of the first vector is larger than the second’s.",
        cause.0,
        shown(&cause.1.vector, processes),
        effect.0,
        shown(&effect.1.vector, processes),
        name(process, processes),
        name(process, processes),
    )
}

/// Why `other` did not know of `event`.
fn unknown(event: Named<'_>, other: Named<'_>, processes: &[String]) -> String {
    let process = event.1.process;
    let (own, known) = (event.1.vector.entry(process), other.1.vector.entry(process));
    format!(
        "“{}” {} is event {own} of {}, of which “{}” {} knows {}.",
        event.0,
        shown(&event.1.vector, processes),
        name(process, processes),
        other.0,
        shown(&other.1.vector, processes),
        if known == 0 {
            "none".to_owned()
        } else {
            format!("only {known}")
        },
    )
}

fn by_number(a: Named<'_>, b: Named<'_>, relation: Relation) -> String {
    let (low, high) = if a.1.lamport <= b.1.lamport { (a, b) } else { (b, a) };
    let (l, h) = (low.1.lamport, high.1.lamport);
    if l == h {
        return format!(
            "Both have {l}. A cause always has the smaller number, so neither led to the other; that much equal numbers do tell."
        );
    }
    let in_truth = match relation {
        Relation::Concurrent | Relation::Unknown => "here it has not",
        Relation::Past | Relation::Future | Relation::Itself => "here it has, as only the vectors show",
    };
    format!(
        "{l} is less than {h}, so “{}” did not lead to “{}”. Whether it was the other way round the numbers cannot tell: \
         a cause has the smaller number, but a process that does more by itself counts further too; {in_truth}.",
        high.0, low.0
    )
}
