//! The whole file: from the raw form to a [`ClocksScenario`], with all errors that can be found at once.

use super::super::error::{Errors, Problem, Refused, ScenarioError, nearest, suggest};
use super::super::fields::Field;
use super::super::raw::{Raw, RawFault, Value};
use super::super::reader::{self, Reader};
use super::super::system::{System, is_of};
use super::fields::{CLOCK_FIELDS, CLOCKS_FIELDS, DO_FIELDS, FORMAT, LINK_FIELDS, PROCESS_FIELDS, SHOWN};
use super::{ClockChange, ClockLink, ClockProcess, ClocksScenario, Deed, Errand, LeaseClock, Shows, When};
use crate::clocks::{ReceiveRule, SimTime, Slew, Span};
use crate::sorting;

/// More of them make a scenario that nobody reads.
const PROCESSES_MAX: usize = 26;
const LIST_MAX: usize = 500;

impl ClocksScenario {
    /// Reads a file; `origin` is its name, for errors.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the lines.
    ///
    /// ```
    /// use leaselab::scenario::clocks::ClocksScenario;
    /// let text = "system = \"clocks\"\n[[process]]\nname = \"A\"\n[[do]]\nprocess = \"A\"\nat_s = 1\nnote = \"counts\"\n";
    /// assert_eq!(ClocksScenario::parse(text, "example.toml").unwrap().script.len(), 1);
    ///
    /// let errors = ClocksScenario::parse(&text.replace("at_s", "at_ss"), "example.toml").unwrap_err();
    /// assert_eq!(errors[0].to_string(), "example.toml:6: do.1.at_ss = 1: unknown key; did you mean at_s?");
    /// ```
    pub fn parse(text: &str, origin: &str) -> Result<ClocksScenario, Vec<ScenarioError>> {
        ClocksScenario::parse_with(text, origin, &[])
    }

    /// The same after some values were replaced, as `--set network.latency_ms=2` does.
    ///
    /// # Errors
    /// As [`ClocksScenario::parse`].
    pub fn parse_with(
        text: &str,
        origin: &str,
        overrides: &[(String, String)],
    ) -> Result<ClocksScenario, Vec<ScenarioError>> {
        let mut errors = Errors::default();
        let scenario = Raw::read(text, origin, FORMAT, &mut errors).and_then(|mut raw| {
            is_of(System::Clocks, &raw, &mut errors)?;
            for (index, (key, value)) in overrides.iter().enumerate() {
                raw.set(key.trim(), value, index + 1, &mut errors);
            }
            scenario(&raw, &mut errors)
        });
        match scenario {
            Ok(scenario) if errors.is_empty() => Ok(scenario),
            Ok(_) | Err(_) => Err(errors.sorted()),
        }
    }
}

/// Values by the description of their fields.
struct Values<'a> {
    fields: &'static [Field],
    reader: Reader<'a>,
}

type Read<T> = fn(&Field, &Value) -> Result<T, Problem>;

impl Values<'_> {
    fn field(&self, key: &str) -> &'static Field {
        self.fields
            .iter()
            .find(|field| field.key == key)
            .unwrap_or(&self.fields[0])
    }
    fn required<T>(&mut self, key: &str, read: Read<T>) -> Result<T, Refused> {
        self.reader.required(self.field(key), read)
    }
    fn optional<T>(&mut self, key: &str, read: Read<T>) -> Result<Option<T>, Refused> {
        self.reader.optional(self.field(key), read)
    }

    /// Of a table in a list: keys that it cannot have.
    fn refuse_unknown(&mut self) -> Result<(), Refused> {
        let known: Vec<&str> = self.fields.iter().map(|field| field.key).collect();
        let unknown = self.reader.entries.keys().filter(|key| !known.contains(&key.as_str()));
        let mut refused = Ok(());
        for key in unknown {
            let meant = nearest(key, known.iter().copied());
            let remedy = meant.map_or_else(|| "leave it out".to_owned(), |key| format!("did you mean {key}?"));
            refused = Err(self.reader.refuse(key, Problem::new("unknown key", remedy)));
        }
        refused
    }

    /// The index of the process that this key names.
    fn process(&mut self, key: &str, names: &[String]) -> Result<usize, Refused> {
        let name = self.required(key, reader::text)?;
        names.iter().position(|known| *known == name).ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let problem = Problem::new("there is no such process", suggest(&name, &known));
            self.reader.refuse(key, problem)
        })
    }

    /// Exactly one of these keys stands there.
    fn one_of(&mut self, keys: &[&'static str]) -> Result<&'static str, Refused> {
        let written = |key: &&&'static str| self.reader.entries.contains_key(**key);
        let written: Vec<&'static str> = keys.iter().filter(written).copied().collect();
        let (key, wrong) = match written[..] {
            [one] => return Ok(one),
            [] => (keys[0], "one of them must be given"),
            [_, second, ..] => (second, "stands beside another of them"),
        };
        let problem = Problem::new(wrong, format!("give one of {}", keys.join(", ")));
        Err(self.reader.refuse(key, problem))
    }
}

fn scenario(raw: &Raw, errors: &mut Errors) -> Result<ClocksScenario, Refused> {
    let processes = tables(raw, "process", PROCESS_FIELDS, PROCESSES_MAX, errors, process);
    let names: Vec<String> = processes.iter().flatten().map(|process| process.name.clone()).collect();
    let processes = processes.and_then(|processes| different(raw, processes, errors));
    let changes = tables(raw, "clock", CLOCK_FIELDS, LIST_MAX, errors, |values| {
        change(values, &names)
    });
    let links = tables(raw, "link", LINK_FIELDS, LIST_MAX, errors, |values| {
        link(values, &names)
    });
    let script = tables(raw, "do", DO_FIELDS, LIST_MAX, errors, |values| errand(values, &names));
    let mut top = Values {
        fields: CLOCKS_FIELDS,
        reader: Reader {
            entries: &raw.entries,
            prefix: String::new(),
            place: raw.place.clone(),
            errors,
        },
    };
    let title = top.required("title", reader::text);
    let duration = top.required("duration_s", reader::span);
    let epsilon = top.required("epsilon_ms", reader::span);
    let rule = top.required("hybrid", reader::choice);
    let looks_every = top.required("looks_every_ms", reader::span);
    let shows = shows(&mut top);
    let latency = top.required("network.latency_ms", reader::span);
    let mut processes = processes?;
    for (process, at, change) in changes? {
        processes[process].changes.push((at, change));
    }
    for process in &mut processes {
        sorting::by_key(&mut process.changes, |(at, _)| *at);
    }
    let scenario = ClocksScenario {
        title: title?,
        comment: raw.comment.clone(),
        duration: duration?,
        epsilon: epsilon?,
        rule: match rule? {
            "forward" => ReceiveRule::Forward,
            _ => ReceiveRule::Paper,
        },
        shows: shows?,
        looks_every: looks_every?,
        latency: latency?,
        processes,
        links: links?,
        script: script?,
    };
    in_time(raw, &scenario, errors)?;
    Ok(scenario)
}

/// The tables of one list.
fn tables<T>(
    raw: &Raw,
    name: &str,
    fields: &'static [Field],
    most: usize,
    errors: &mut Errors,
    read: impl Fn(&mut Values<'_>) -> Result<T, Refused>,
) -> Result<Vec<T>, Refused> {
    let tables: Vec<&RawFault> = of_list(raw, name).collect();
    if let Some(first) = tables.get(most) {
        let problem = Problem::new(format!("more than {most} of them, the limit"), "leave some out");
        return Err(errors.push(&first.place, name, &format!("{} of them", tables.len()), problem));
    }
    let mut all = Vec::with_capacity(tables.len());
    for (index, table) in tables.into_iter().enumerate() {
        let mut values = Values {
            fields,
            reader: Reader {
                entries: &table.entries,
                prefix: format!("{name}.{}.", index + 1),
                place: table.place.clone(),
                errors,
            },
        };
        // A key that is written wrongly would be missed as well: one complaint is enough.
        let known = values.refuse_unknown();
        all.push(known.and_then(|()| read(&mut values)));
    }
    all.into_iter().collect()
}

/// Of a value of the table at place `n` of its list.
fn refuse(errors: &mut Errors, table: &RawFault, list: &str, n: usize, key: &str, problem: Problem) -> Refused {
    let mut reader = Reader {
        entries: &table.entries,
        prefix: format!("{list}.{}.", n + 1),
        place: table.place.clone(),
        errors,
    };
    reader.refuse(key, problem)
}

fn of_list<'a>(raw: &'a Raw, name: &str) -> impl Iterator<Item = &'a RawFault> {
    raw.tables
        .iter()
        .filter(move |(list, _)| *list == name)
        .map(|(_, table)| table)
}

fn process(values: &mut Values<'_>) -> Result<ClockProcess, Refused> {
    Ok(ClockProcess {
        name: values.required("name", reader::text)?,
        offset_us: values.required("offset_ms", reader::signed_micros)?,
        rate_ppm: values.required("rate_ppm", reader::integer)? as i32,
        changes: Vec::new(),
    })
}

fn different(raw: &Raw, processes: Vec<ClockProcess>, errors: &mut Errors) -> Result<Vec<ClockProcess>, Refused> {
    for (n, (process, table)) in processes.iter().zip(of_list(raw, "process")).enumerate() {
        if processes[..n].iter().any(|earlier| earlier.name == process.name) {
            let problem = Problem::new("is the name of another process too", "name it otherwise");
            return Err(refuse(errors, table, "process", n, "name", problem));
        }
    }
    Ok(processes)
}

fn change(values: &mut Values<'_>, names: &[String]) -> Result<(usize, SimTime, ClockChange), Refused> {
    let process = values.process("process", names);
    let at = values.required("at_s", reader::span);
    let change = match values.one_of(&["step_ms", "slew_ms"])? {
        "step_ms" => ClockChange::Step(values.required("step_ms", reader::signed_micros)?),
        _ => {
            let by_us = values.required("slew_ms", reader::signed_micros)?;
            let rate_ppm = values.required("slew_ppm", reader::count)? as u32;
            ClockChange::Slew(Slew::by(by_us, rate_ppm))
        }
    };
    Ok((process?, SimTime::ZERO + at?, change))
}

fn link(values: &mut Values<'_>, names: &[String]) -> Result<ClockLink, Refused> {
    Ok(ClockLink {
        from: values.process("from", names)?,
        to: values.process("to", names)?,
        latency: values.required("latency_ms", reader::span)?,
    })
}

fn errand(values: &mut Values<'_>, names: &[String]) -> Result<Errand, Refused> {
    let process = values.process("process", names);
    let when = match values.one_of(&["at_s", "on"])? {
        "at_s" => When::At(SimTime::ZERO + values.required("at_s", reader::span)?),
        _ => When::OnReceipt {
            message: values.required("on", reader::text)?,
            after: values.required("after_ms", reader::span)?,
        },
    };
    let process = process?;
    let what = match values.one_of(&["send", "note", "commit", "grant"])? {
        "send" => {
            let to = values.process("to", names)?;
            if to == process {
                let problem = Problem::new("is who sends", "name another process, or write note = …");
                return Err(values.reader.refuse("to", problem));
            }
            let message = values.required("send", reader::text)?;
            Deed::Send { message, to }
        }
        "note" => Deed::Note(values.required("note", reader::text)?),
        "commit" => Deed::Commit {
            name: values.required("commit", reader::text)?,
            waits: values.required("waits", reader::flag)?,
        },
        _ => Deed::Grant {
            name: values.required("grant", reader::text)?,
            lasts: values.required("lasts_s", reader::span)?,
            by: match values.required("by", reader::choice)? {
                "wall" => LeaseClock::Wall,
                _ => LeaseClock::Monotonic,
            },
        },
    };
    Ok(Errand { process, when, what })
}

fn shows(top: &mut Values<'_>) -> Result<Vec<Shows>, Refused> {
    const ALL: [Shows; 8] = [
        Shows::True,
        Shows::Wall,
        Shows::Lamport,
        Shows::Vector,
        Shows::Hybrid,
        Shows::Interval,
        Shows::Orders,
        Shows::Outcome,
    ];
    let Some(words) = top.optional("show", reader::names)? else {
        return Ok(ALL.to_vec());
    };
    let shows = |word: &String| {
        SHOWN
            .iter()
            .position(|known| known == word)
            .map(|n| ALL[n])
            .ok_or_else(|| {
                let problem = Problem::new(format!("{word} is nothing that can be shown"), suggest(word, &SHOWN));
                top.reader.refuse("show", problem)
            })
    };
    words.iter().map(shows).collect()
}

/// Whoever sends has a connection by then: it takes a round trip from the start on.
fn in_time(raw: &Raw, scenario: &ClocksScenario, errors: &mut Errors) -> Result<(), Refused> {
    let sends = |errand: &Errand| match errand.what {
        Deed::Send { to, .. } => Some(scenario.latency(errand.process, to) + scenario.latency(to, errand.process)),
        Deed::Note(_) | Deed::Commit { .. } | Deed::Grant { .. } => None,
    };
    let stands = scenario.script.iter().filter_map(sends).max().unwrap_or(Span::ZERO);
    for (n, (errand, table)) in scenario.script.iter().zip(of_list(raw, "do")).enumerate() {
        if let When::At(at) = errand.when
            && at.since(SimTime::ZERO) <= stands
        {
            let problem = Problem::new(
                "is before the connections stand, which takes a round trip",
                format!("let everything happen after {stands}"),
            );
            return Err(refuse(errors, table, "do", n, "at_s", problem));
        }
    }
    Ok(())
}

impl ClocksScenario {
    /// What a message takes from one process to another.
    pub fn latency(&self, from: usize, to: usize) -> Span {
        let link = self.links.iter().rev().find(|link| (link.from, link.to) == (from, to));
        link.map_or(self.latency, |link| link.latency)
    }
}
