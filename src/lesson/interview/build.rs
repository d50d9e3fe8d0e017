//! What the blocks of cards and walkthroughs mean: names looked up, expressions and texts read.

use super::blocks::{FollowUpBlock, RedFlagBlock, RubricBlock, StepBlock};
use super::{FollowUp, Point, RedFlag, Step, When};
use crate::lesson::Stated;
use crate::lesson::blocks::ClaimBlock;
use crate::lesson::build::{Body, Builder};
use crate::lesson::problem::Problems;
use crate::lesson::prose::Fence;
use crate::lesson::read::toml;
use crate::verdict::FigureKind;

/// A block, understood.
pub(super) enum Built {
    Scenario,
    Claim(Stated),
    Rubric(Vec<Point>),
    FollowUp(FollowUp),
    RedFlag(RedFlag),
    Step(Step),
}

/// The blocks of a card, and those of a walkthrough.
pub(super) const OF_CARDS: [&str; 5] = ["scenario", "claim", "rubric", "follow-up", "red-flag"];
pub(super) const OF_WALKTHROUGHS: [&str; 3] = ["scenario", "claim", "step"];
/// Blocks that have names.
const NAMED: [&str; 3] = ["scenario", "claim", "red-flag"];

/// Nothing when something is wrong with the block, which is told.
pub(super) fn build(
    builder: &mut Builder<'_>,
    fence: &Fence,
    known: &[&str],
    problems: &mut Problems<'_>,
) -> Option<Built> {
    let kind = fence.kind.as_str();
    if !known.contains(&kind) {
        let what = format!("there is no block {kind} here; there are {}", known.join(", "));
        problems.at(fence.at, what);
        return None;
    }
    if fence.name.is_some() != NAMED.contains(&kind) {
        let what = format!(
            "{} have names, as in ```claim overlap; nothing else has",
            NAMED.join(", ")
        );
        problems.at(fence.at, what);
        return None;
    }
    if kind == "scenario" {
        return builder.stage(fence, problems).map(|_| Built::Scenario);
    }
    let written = &builder.text[fence.body.clone()];
    let line = problems.line(fence.at);
    let name = fence.name.clone().unwrap_or_default();
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
                whole: builder.text,
                problems,
            }
        };
    }
    match kind {
        "claim" => {
            let block: ClaimBlock = read!();
            builder.claim(name, &block, body!()).map(Built::Claim)
        }
        "rubric" => {
            let block: RubricBlock = read!();
            Some(Built::Rubric(rubric(&block, body!())))
        }
        "follow-up" => {
            let block: FollowUpBlock = read!();
            follow_up(builder, line, &block, body!()).map(Built::FollowUp)
        }
        "red-flag" => {
            let block: RedFlagBlock = read!();
            red_flag(builder, line, name, &block, body!()).map(Built::RedFlag)
        }
        _ => {
            let block: StepBlock = read!();
            step(builder, line, &block, body!()).map(Built::Step)
        }
    }
}

fn rubric(block: &RubricBlock, body: &mut Body<'_, '_>) -> Vec<Point> {
    let read = |point: &super::blocks::PointBlock| Point {
        name: point.name.clone(),
        text: body.text(&point.text),
    };
    block.points.iter().map(read).collect()
}

fn follow_up(builder: &Builder<'_>, line: usize, block: &FollowUpBlock, body: &mut Body<'_, '_>) -> Option<FollowUp> {
    let when = match (&block.if_has, &block.if_misses, &block.if_flag) {
        (None, None, None) => When::Always,
        (Some(point), None, None) => When::Has(point.clone()),
        (None, Some(point), None) => When::Misses(point.clone()),
        (None, None, Some(flag)) => When::Flag(flag.clone()),
        _ => return body.wrong("a follow-up has one of if_has, if_misses and if_flag, or none of them"),
    };
    let (of, shows) = (builder.of_name(&block.of, body), body.claim(&block.shows));
    let (question, answer) = (body.text(&block.question), body.text(&block.answer));
    Some(FollowUp {
        line,
        when,
        question,
        of: of?,
        seeds: body.seeds(&block.seeds)?,
        shows: shows?,
        answer,
    })
}

fn red_flag(
    builder: &Builder<'_>,
    line: usize,
    name: String,
    block: &RedFlagBlock,
    body: &mut Body<'_, '_>,
) -> Option<RedFlag> {
    let (of, shows) = (builder.of_name(&block.of, body), body.claim(&block.shows));
    let (says, because) = (body.text(&block.says), body.text(&block.because));
    Some(RedFlag {
        line,
        name,
        says,
        of: of?,
        seeds: body.seeds(&block.seeds)?,
        shows: shows?,
        because,
    })
}

fn step(builder: &Builder<'_>, line: usize, block: &StepBlock, body: &mut Body<'_, '_>) -> Option<Step> {
    let (of, at, say) = (
        builder.of_name(&block.of, body),
        body.figure(&block.at),
        body.text(&block.say),
    );
    let (of, at) = (of?, at?);
    if at.kind() != FigureKind::Time {
        return body.wrong_at(
            &block.at,
            "at is an instant of the run, such as 39 s or failovers[0].key_gone_ms",
        );
    }
    let nodes = &builder.scenarios[of].scenario.cluster.nodes;
    let lanes = body.lanes(&block.lanes, nodes)?;
    Some(Step {
        line,
        say,
        of,
        at,
        lanes,
    })
}
