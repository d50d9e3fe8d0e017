//! The form of all settings. What a setting means, allows and looks like is said in [`FIELDS`]; this finds the ones to
//! show, and turns what a control holds into what the scenario takes.

use crate::scenario::fields::GROUPS;
use crate::scenario::{FIELDS, Field, Scenario};
use crate::sorting;

/// The settings that are always in sight, in the order of their places.
pub fn in_sight() -> Vec<&'static Field> {
    let mut fields: Vec<_> = FIELDS.iter().filter(|field| field.form.place.is_some()).collect();
    sorting::by_key(&mut fields, |field| field.form.place);
    fields
}

/// All others in which these words occur (in the name, the key or the help), group by group; groups without any are left
/// out.
pub fn folded(words: &str) -> Vec<(&'static str, Vec<&'static Field>)> {
    let words = words.to_ascii_lowercase();
    let speaks_of = |field: &Field| {
        let text = format!("{} {} {}", field.label, field.key, field.help).to_ascii_lowercase();
        words.split_whitespace().all(|word| text.contains(word))
    };
    let groups = GROUPS.iter().map(|(section, title)| {
        let fields = FIELDS
            .iter()
            .filter(|field| field.form.place.is_none() && field.section() == *section);
        (*title, fields.filter(|field| speaks_of(field)).collect::<Vec<_>>())
    });
    groups.filter(|(_, fields)| !fields.is_empty()).collect()
}

/// A value as a control shows it: without quotes and brackets.
pub fn value(scenario: &Scenario, key: &str) -> String {
    let written = scenario.get(key).unwrap_or_default();
    match written.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
        Some(list) => list.replace('"', ""),
        None => written.trim_matches('"').replace("\\\"", "\"").replace("\\\\", "\\"),
    }
}

/// How many names a list has, for a slider over their number.
pub fn count(scenario: &Scenario, key: &str) -> usize {
    value(scenario, key)
        .split(',')
        .filter(|name| !name.trim().is_empty())
        .count()
}

/// What a list of nodes becomes when it is set to this: a number is how many nodes there are to be. The first ones stay,
/// new ones get names that are free. No node is named by a number, so the two cannot be mistaken for each other.
pub(super) fn names(scenario: &Scenario, typed: &str) -> String {
    let Ok(count) = typed.trim().parse::<usize>() else {
        return typed.to_owned();
    };
    let mut names = scenario.cluster.nodes.clone();
    names.truncate(count);
    // Far above what is allowed is refused all the same: there is no need to name them all.
    let mut free = (1..)
        .map(|n| format!("node{n}"))
        .filter(|name| !scenario.cluster.nodes.contains(name));
    names.extend(free.by_ref().take(count.saturating_sub(names.len()).min(20)));
    names.join(", ")
}

/// The scenario's own value of a setting, when it has another one now.
pub fn own_value(scenario: &Scenario, shipped: &Scenario, key: &str) -> Option<String> {
    (scenario.get(key) != shipped.get(key)).then(|| value(shipped, key))
}

/// How many of the settings that are not in sight were changed.
pub fn changed_out_of_sight(scenario: &Scenario, shipped: &Scenario) -> usize {
    let folded = FIELDS.iter().filter(|field| field.form.place.is_none());
    folded
        .filter(|field| own_value(scenario, shipped, field.key).is_some())
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_in_the_form_once() {
        let folded = folded("").into_iter().flat_map(|(_, fields)| fields);
        let mut keys: Vec<_> = in_sight().into_iter().chain(folded).map(|field| field.key).collect();
        keys.sort_unstable();
        let mut all: Vec<_> = FIELDS.iter().map(|field| field.key).collect();
        all.sort_unstable();
        assert_eq!(keys, all);
        assert_eq!(in_sight()[0].key, "patroni.ttl");
    }

    #[test]
    fn the_filter_finds_all_its_words_in_name_key_or_help() {
        let found = |words: &str| {
            let groups = folded(words).into_iter();
            groups
                .flat_map(|(_, fields)| fields)
                .map(|field| field.key)
                .collect::<Vec<_>>()
        };
        assert_eq!(found("FSYNC fast"), ["disk.fsync_ms.min"]);
        assert_eq!(
            found("how often writes"),
            ["traffic.write_period_ms", "traffic.direct_write_period_ms"]
        );
        assert!(found("nothing like it").is_empty());
    }

    #[test]
    fn values_are_shown_without_quotes_and_brackets_and_every_one_can_be_set_again() {
        let scenario = Scenario::parse("title = \"a \\\"b\\\" \\\\ c\"\n", "test").unwrap();
        assert_eq!(value(&scenario, "title"), "a \"b\" \\ c");
        assert_eq!(value(&scenario, "patroni.ttl"), "30");
        assert_eq!(value(&scenario, "watchdog.mode"), "off");
        assert_eq!(value(&scenario, "cluster.nodes"), "node1, node2, node3");
        for field in FIELDS {
            let mut again = scenario.clone();
            again.set(field.key, &value(&scenario, field.key)).unwrap();
            assert_eq!(again, scenario, "{}", field.key);
        }
    }

    #[test]
    fn a_number_of_nodes_keeps_the_first_and_names_new_ones() {
        let scenario = Scenario::parse("cluster.nodes = [\"a\", \"node3\"]\n", "test").unwrap();
        assert_eq!(names(&scenario, "1"), "a");
        assert_eq!(names(&scenario, "4"), "a, node3, node1, node2");
        assert_eq!(names(&scenario, "b, c"), "b, c");
        assert_eq!(names(&scenario, "99999999999").split(',').count(), 22);
    }
}
