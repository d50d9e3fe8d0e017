//! What the blocks mean: names looked up, expressions and texts read.

use super::blocks::{AskBlock, AttemptBlock, ClaimBlock, MakeBlock, PredictBlock, SayBlock, WatchBlock, Words};
use super::problem::Problems;
use super::prose::{Fence, Text, text};
use super::read::toml;
use super::staging::{Staged, settings};
use super::{Answer, Ask, Attempt, Choice, Goal, Make, PartKind, Predict, Say, Stated, Watch};
use crate::scenario::Field;
use crate::verdict::{Claim, ClaimError, Figure, FigureKind};
use toml::Spanned;

/// Over so many seeds a claim may be made.
const SEEDS_MAX: u32 = 200;

/// The scenarios that were introduced so far, and the file that they stand in.
pub(super) struct Builder<'a> {
    pub text: &'a str,
    /// The scenario files, by name without ending.
    pub shelf: &'a dyn Fn(&str) -> Option<String>,
    pub scenarios: Vec<Staged>,
}

/// One block and where its content begins.
pub(super) struct Body<'b, 'p> {
    pub start: usize,
    pub at: usize,
    pub whole: &'b str,
    pub problems: &'b mut Problems<'p>,
}

impl<'a> Builder<'a> {
    pub fn of(text: &'a str, shelf: &'a dyn Fn(&str) -> Option<String>) -> Builder<'a> {
        Builder {
            text,
            shelf,
            scenarios: Vec::new(),
        }
    }

    /// Where a scenario stands among those of the lesson.
    pub fn scenario(&self, name: &str, at: usize, problems: &mut Problems<'_>) -> Option<usize> {
        let index = self.scenarios.iter().position(|staged| staged.name == name);
        if index.is_none() {
            let names: Vec<&str> = self.scenarios.iter().map(|staged| staged.name.as_str()).collect();
            let what = match names.as_slice() {
                [] => format!("no scenario stands before this; introduce {name} with a block ```scenario {name}"),
                names => format!("no scenario {name} stands before this; there are {}", names.join(", ")),
            };
            problems.at(at, what);
        }
        index
    }

    /// Every block but a scenario. Nothing when something is wrong with it, which is told.
    pub fn part(&self, fence: &Fence, problems: &mut Problems<'_>) -> Option<PartKind> {
        let written = &self.text[fence.body.clone()];
        if fence.name.is_some() != (fence.kind == "claim") {
            problems.at(
                fence.at,
                "a claim has a name, as in ```claim overlap, and so have scenarios; nothing else has",
            );
            return None;
        }
        macro_rules! read {
            () => {
                toml(written, &fence.body, problems)?
            };
        }
        macro_rules! body {
            () => {
                &mut Body {
                    start: fence.body.start,
                    at: fence.at,
                    whole: self.text,
                    problems,
                }
            };
        }
        match fence.kind.as_str() {
            "predict" => {
                let block: PredictBlock = read!();
                self.predict(&block, body!()).map(PartKind::Predict)
            }
            "watch" => {
                let block: WatchBlock = read!();
                self.watch(&block, body!()).map(PartKind::Watch)
            }
            "claim" => {
                let block: ClaimBlock = read!();
                let name = fence.name.clone().unwrap_or_default();
                self.claim(name, &block, body!()).map(PartKind::Claim)
            }
            "ask" => {
                let block: AskBlock = read!();
                self.ask(&block, body!()).map(PartKind::Ask)
            }
            "make" => {
                let block: MakeBlock = read!();
                self.make(&block, body!()).map(PartKind::Make)
            }
            _ => {
                let block: SayBlock = read!();
                say(&block, body!()).map(PartKind::Say)
            }
        }
    }

    pub fn of_name(&self, name: &Words, body: &mut Body<'_, '_>) -> Option<usize> {
        self.scenario(name.get_ref(), body.start + name.span().start, body.problems)
    }

    fn predict(&self, block: &PredictBlock, body: &mut Body<'_, '_>) -> Option<Predict> {
        let of = self.of_name(&block.of, body);
        let (question, because) = (body.text(&block.question), body.text(&block.because));
        let answer = match (&block.options, &block.number, &block.mark, &block.near) {
            (Some(options), None, None, None) => {
                let read = options.iter().map(|option| {
                    let (text, when) = (body.text(&option.text), body.claim(&option.when));
                    when.map(|when| (text, when))
                });
                let options: Vec<Option<_>> = read.collect();
                let known = options.into_iter().collect::<Option<Vec<_>>>()?;
                if known.len() < 2 {
                    return body.wrong("a choice has at least two options");
                }
                Answer::Choice(known)
            }
            (None, Some(number), None, Some(near)) => {
                let (figure, near) = body.near(number, near)?;
                Answer::Number { figure, near }
            }
            (None, None, Some(mark), Some(near)) => {
                let (figure, near) = body.near(mark, near)?;
                if figure.kind() != FigureKind::Time {
                    return body.wrong("a mark on the time axis is a time");
                }
                Answer::Mark { figure, near }
            }
            _ => return body.wrong("a bet has options, or a number and near, or a mark and near"),
        };
        Some(Predict {
            of: of?,
            question,
            answer,
            because,
        })
    }

    fn watch(&self, block: &WatchBlock, body: &mut Body<'_, '_>) -> Option<Watch> {
        let (of, from, look) = (
            self.of_name(&block.of, body),
            body.figure(&block.from),
            body.text(&block.look),
        );
        let (of, from) = (of?, from?);
        if from.kind() != FigureKind::Time {
            return body.wrong("from is an instant of the run, such as 39 s or failovers[0].key_gone_ms");
        }
        let scenario = &self.scenarios[of].scenario;
        let lanes = body.lanes(&block.lanes, &scenario.cluster.nodes)?;
        if let Some(knob) = &block.knob {
            body.key(knob, scenario.faults.len())?;
        }
        Some(Watch {
            of,
            from,
            lanes,
            knob: block.knob.as_ref().map(|knob| knob.get_ref().clone()),
            look,
        })
    }

    pub fn claim(&self, name: String, block: &ClaimBlock, body: &mut Body<'_, '_>) -> Option<Stated> {
        let (of, claim) = (self.of_name(&block.of, body), body.claim(&block.that));
        let figure = match &block.figure {
            Some(figure) => Some(body.figure(figure)?),
            None => None,
        };
        Some(Stated {
            name,
            of: of?,
            seeds: body.seeds(&block.seeds)?,
            claim: claim?,
            figure,
        })
    }

    fn ask(&self, block: &AskBlock, body: &mut Body<'_, '_>) -> Option<Ask> {
        let mut options = Vec::new();
        for option in &block.options {
            let (of, shows) = (self.of_name(&option.of, body), body.claim(&option.shows));
            let (text, says) = (body.text(&option.text), body.text(&option.says));
            options.push(of.zip(shows).map(|(of, shows)| Choice {
                text,
                right: option.right,
                of,
                shows,
                says,
            }));
        }
        let options: Vec<Choice> = options.into_iter().collect::<Option<_>>()?;
        if options.len() < 2 || options.iter().filter(|option| option.right).count() != 1 {
            return body.wrong("a question has at least two options, and exactly one has right = true");
        }
        Some(Ask {
            question: body.text(&block.question),
            options,
        })
    }

    fn make(&self, block: &MakeBlock, body: &mut Body<'_, '_>) -> Option<Make> {
        let mut goals = Vec::new();
        for goal in &block.goals {
            let (of, claim) = (self.of_name(&goal.of, body)?, body.claim(&goal.that)?);
            let seeds = body.seeds(&goal.seeds)?;
            goals.push(Goal { of, seeds, claim });
        }
        if goals.is_empty() {
            return body.wrong("a task has at least one goal");
        }
        for key in &block.free {
            body.key(key, usize::MAX)?;
        }
        let free: Vec<String> = block.free.iter().map(|key| key.get_ref().clone()).collect();
        let solution = self.attempt(&block.solution, &free, &goals, body)?;
        let tempting: Option<Vec<Attempt>> = block
            .tempting
            .iter()
            .map(|attempt| self.attempt(attempt, &free, &goals, body))
            .collect();
        Some(Make {
            task: body.text(&block.task),
            free,
            goals,
            solution,
            tempting: tempting?,
        })
    }

    fn attempt(
        &self,
        block: &Spanned<AttemptBlock>,
        free: &[String],
        goals: &[Goal],
        body: &mut Body<'_, '_>,
    ) -> Option<Attempt> {
        let at = body.start + block.span().start;
        let line = body.problems.line(at);
        let says = body.text(&block.get_ref().says);
        let set = match settings(&block.get_ref().set) {
            Ok(set) => set,
            Err(key) => return body.wrong(&format!("{key} is a list; no setting of a task can be one")),
        };
        if let Some((key, _)) = set.iter().find(|(key, _)| !free.contains(key)) {
            body.problems
                .on(line, format!("{key} is not among what is free: {}", free.join(", ")));
            return None;
        }
        let mut scenarios = Vec::new();
        for goal in goals {
            let source = self.scenarios[goal.of].source().with(&set, body.problems.file, line);
            match source.read() {
                Ok(scenario) => scenarios.push(scenario),
                Err(found) => {
                    body.problems.found.extend(found);
                    return None;
                }
            }
        }
        Some(Attempt {
            line,
            set,
            scenarios,
            says,
        })
    }
}

fn say(block: &SayBlock, body: &mut Body<'_, '_>) -> Option<Say> {
    let seconds = *block.seconds.get_ref();
    if !(10..=300).contains(&seconds) {
        return body.wrong("an answer takes from 10 to 300 seconds");
    }
    if block.rubric.len() < 2 {
        return body.wrong("a rubric has at least two points");
    }
    Some(Say {
        question: body.text(&block.question),
        seconds,
        rubric: block.rubric.iter().map(|point| body.text(point)).collect(),
        answer: body.text(&block.answer),
    })
}

impl Body<'_, '_> {
    pub fn wrong<T>(&mut self, what: &str) -> Option<T> {
        self.problems.at(self.at, what);
        None
    }

    pub fn wrong_at<T>(&mut self, place: &Words, what: &str) -> Option<T> {
        self.problems.at(self.start + place.span().start, what);
        None
    }

    pub fn text(&mut self, words: &Words) -> Text {
        let (from, to) = (self.start + words.span().start, self.start + words.span().end);
        let found = self
            .whole
            .get(from..to)
            .and_then(|raw| raw.find(words.get_ref().as_str()));
        let read = text(
            words.get_ref(),
            from + found.unwrap_or(0),
            found.is_some(),
            self.problems,
        );
        if read.is_empty() {
            self.problems.at(from, "there is no text here");
        }
        read
    }

    fn read<T>(&mut self, words: &Words, parse: fn(&str) -> Result<T, ClaimError>) -> Option<T> {
        match parse(words.get_ref()) {
            Ok(read) => Some(read),
            Err(error) => self.wrong_at(words, &format!("'{}': {error}", words.get_ref())),
        }
    }

    pub fn claim(&mut self, words: &Words) -> Option<Claim> {
        self.read(words, Claim::parse)
    }

    pub fn figure(&mut self, words: &Words) -> Option<Figure> {
        self.read(words, Figure::parse)
    }

    /// A figure, and how near a guess must come to it.
    fn near(&mut self, figure: &Words, near: &Words) -> Option<(Figure, f64)> {
        let (figure, allowed) = (self.figure(figure), self.figure(near));
        let (figure, allowed) = (figure?, allowed?);
        let is_number = matches!(figure.kind(), FigureKind::Time | FigureKind::Count);
        // Asked of nothing, only what was written out has a value.
        let constant = allowed.of(&serde_json::Value::Null).as_f64();
        match constant.filter(|near| *near >= 0.0 && is_number && allowed.kind() == figure.kind()) {
            Some(near) => Some((figure, near)),
            None => self.wrong_at(near, "near is a number like the answer, such as 2 s"),
        }
    }

    pub fn seeds(&mut self, seeds: &Spanned<u32>) -> Option<u32> {
        let seeds = *seeds.get_ref();
        if (1..=SEEDS_MAX).contains(&seeds) {
            return Some(seeds);
        }
        self.wrong(&format!("a claim is over 1 to {SEEDS_MAX} seeds"))
    }

    /// The lanes that are in sight: `faults`, `store`, `writes`, or the name of a node.
    pub fn lanes(&mut self, lanes: &[Words], nodes: &[String]) -> Option<Vec<String>> {
        let mut known = vec!["faults", "store", "writes"];
        known.extend(nodes.iter().map(String::as_str));
        match lanes.iter().find(|lane| !known.contains(&lane.get_ref().as_str())) {
            Some(lane) => {
                let what = format!("there is no lane {}; there are {}", lane.get_ref(), known.join(", "));
                self.wrong_at(lane, &what)
            }
            None => Some(lanes.iter().map(|lane| lane.get_ref().clone()).collect()),
        }
    }

    /// A setting, or a value of one of so many faults, such as `fault.1.for_s`.
    fn key(&mut self, key: &Words, faults: usize) -> Option<()> {
        let name = key.get_ref();
        let of_fault = name.strip_prefix("fault.").and_then(|rest| rest.split_once('.'));
        let known = match of_fault {
            Some((number, _)) => number
                .parse::<usize>()
                .is_ok_and(|number| (1..=faults).contains(&number)),
            None => Field::of(name).is_some(),
        };
        if known {
            return Some(());
        }
        self.wrong_at(
            key,
            &format!("there is no setting {name}; `leaselab fields` lists them"),
        )
    }
}
