//! What somebody knew and what they missed, as one page of text to print or to save. Made of what they ticked, said and bet,
//! and of nothing else: no marks out of ten, no comparison with others.

use super::{Card, Said, plain};
use std::collections::BTreeMap;

/// All that is known of one person's practice.
#[derive(Clone, Debug, Default)]
pub struct Record<'a> {
    pub answered: Vec<Answered<'a>>,
    pub bets: Vec<Bet>,
}

/// One card, as it was answered.
#[derive(Clone, Debug)]
pub struct Answered<'a> {
    pub card: &'a Card,
    pub said: Said,
    /// Of [`Card::follow_ups`], by their places, those that were asked and not answered.
    pub unanswered: Vec<usize>,
}

/// A prediction about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Bet {
    pub question: String,
    pub sureness: Sureness,
    /// Whether it counted as right.
    pub right: bool,
    /// How far off it was, in milliseconds, where the answer is a time; later than the run when positive.
    pub off_ms: Option<f64>,
}

/// How sure somebody was before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sureness {
    Guessing,
    Likely,
    Sure,
}

impl Sureness {
    pub const ALL: [Sureness; 3] = [Sureness::Guessing, Sureness::Likely, Sureness::Sure];

    pub const fn words(self) -> &'static str {
        match self {
            Sureness::Guessing => "guessing",
            Sureness::Likely => "fairly sure",
            Sureness::Sure => "sure",
        }
    }
}

/// A page of paper has about so many lines, each of so many characters.
const LINES_MAX: usize = 60;
const WIDTH: usize = 92;
/// Kept free for the bets and for what to read again.
const LINES_AT_THE_END: usize = 14;

impl Record<'_> {
    /// The page. Cards with the most to learn come first; those that do not fit are counted.
    pub fn page(&self) -> String {
        let mut lines = vec!["What I know, what I missed".to_owned(), String::new()];
        if self.answered.is_empty() && self.bets.is_empty() {
            lines.push("Nothing yet: answer a card, or bet on a run.".to_owned());
        }
        self.cards(&mut lines);
        self.bets(&mut lines);
        self.again(&mut lines);
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines.join("\n") + "\n"
    }

    fn cards(&self, lines: &mut Vec<String>) {
        let mut cards: Vec<&Answered<'_>> = self.answered.iter().collect();
        crate::sorting::by_key(&mut cards, |answered| std::cmp::Reverse(answered.misses()));
        let mut left_out = 0;
        for answered in cards {
            let told = answered.lines();
            if left_out > 0 || lines.len() + told.len() + 1 > LINES_MAX - LINES_AT_THE_END {
                left_out += 1;
            } else {
                lines.extend(told);
                lines.push(String::new());
            }
        }
        if left_out > 0 {
            lines.push(format!("And {left_out} more {}.", plural(left_out, "card", "cards")));
            lines.push(String::new());
        }
    }

    fn bets(&self, lines: &mut Vec<String>) {
        if self.bets.is_empty() {
            return;
        }
        let right = |bets: &[&Bet]| bets.iter().filter(|bet| bet.right).count();
        let all: Vec<&Bet> = self.bets.iter().collect();
        lines.push(format!("Bets: {} of {} right.", right(&all), all.len()));
        for sureness in Sureness::ALL {
            let such: Vec<&Bet> = all.iter().copied().filter(|bet| bet.sureness == sureness).collect();
            if !such.is_empty() {
                lines.push(format!(
                    "  When I was {}: {} of {}.",
                    sureness.words(),
                    right(&such),
                    such.len()
                ));
            }
        }
        let mut off: Vec<&Bet> = all.iter().copied().filter(|bet| bet.off_ms.is_some()).collect();
        let distance = |bet: &Bet| bet.off_ms.unwrap_or_default().abs();
        crate::sorting::by(&mut off, |a, b| distance(a).total_cmp(&distance(b)));
        if let Some(middle) = off.get(off.len() / 2) {
            lines.push(format!(
                "  Times I bet on were off by {:.1} s in the middle.",
                distance(middle) / 1_000.0
            ));
        }
        if let Some(worst) = off.last().filter(|bet| !bet.right) {
            let side = if worst.off_ms.unwrap_or_default() > 0.0 {
                "late"
            } else {
                "early"
            };
            wrap(
                lines,
                "  ",
                &format!(
                    "Farthest off, {:.1} s too {side}: {}",
                    distance(worst) / 1_000.0,
                    worst.question
                ),
            );
        }
        lines.push(String::new());
    }

    /// The lessons to read again, by how much was missed of what they teach.
    fn again(&self, lines: &mut Vec<String>) {
        let mut missed: BTreeMap<&str, usize> = BTreeMap::new();
        for answered in &self.answered {
            *missed.entry(&answered.card.about.lesson).or_default() += answered.misses();
        }
        let mut lessons: Vec<(&str, usize)> = missed.into_iter().filter(|(_, misses)| *misses > 0).collect();
        crate::sorting::by_key(&mut lessons, |(_, misses)| std::cmp::Reverse(*misses));
        if !lessons.is_empty() {
            let names: Vec<&str> = lessons.iter().take(5).map(|(name, _)| *name).collect();
            wrap(lines, "", &format!("Read again, in this order: {}.", names.join(", ")));
        }
    }
}

impl Answered<'_> {
    /// What there is to learn: points missed, wrong things said, follow-ups without an answer.
    fn misses(&self) -> usize {
        let points = self.card.rubric.iter();
        let missed = points.filter(|point| !self.said.points.contains(&point.name)).count();
        missed + self.said.flags.len() + self.unanswered.len()
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let (card, rubric) = (self.card, &self.card.rubric);
        let has = |name: &String| self.said.points.contains(name);
        let known = rubric.iter().filter(|point| has(&point.name)).count();
        wrap(
            &mut lines,
            "",
            &format!("{} ({})", card.about.question, card.about.level.word()),
        );
        lines.push(match self.misses() {
            0 => format!("  All {} points, and nothing wrong.", rubric.len()),
            _ => format!("  {known} of {} points.", rubric.len()),
        });
        for point in rubric.iter().filter(|point| !has(&point.name)) {
            wrap(&mut lines, "  ", &format!("Missed: {}.", plain(&point.text)));
        }
        for flag in card
            .red_flags
            .iter()
            .filter(|flag| self.said.flags.contains(&flag.name))
        {
            let refuted = format!("I said: {} {}", plain(&flag.says), plain(&flag.because));
            wrap(&mut lines, "  ", &refuted);
        }
        for place in &self.unanswered {
            if let Some(asked) = card.follow_ups.get(*place) {
                wrap(&mut lines, "  ", &format!("No answer to: {}", plain(&asked.question)));
            }
        }
        lines
    }
}

/// Adds a text in lines of at most [`WIDTH`] characters; those after the first are indented by four more.
fn wrap(lines: &mut Vec<String>, indent: &str, text: &str) {
    let mut line = indent.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::replace(&mut line, format!("{indent}    ")));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push(line);
}

fn plural(n: usize, one: &'static str, several: &'static str) -> &'static str {
    if n == 1 { one } else { several }
}
