//! The scenarios that come with the program, from `lessons/scenarios/`.

/// Name and text of each, in the order in which they are best met.
pub const SHIPPED: &[(&str, &str)] = &[
    (
        "steady-state",
        include_str!("../../lessons/scenarios/steady-state.toml"),
    ),
    ("host-crash", include_str!("../../lessons/scenarios/host-crash.toml")),
    (
        "host-processes-killed",
        include_str!("../../lessons/scenarios/host-processes-killed.toml"),
    ),
    (
        "agent-killed",
        include_str!("../../lessons/scenarios/agent-killed.toml"),
    ),
    (
        "agent-killed-watchdog",
        include_str!("../../lessons/scenarios/agent-killed-watchdog.toml"),
    ),
    (
        "agent-paused",
        include_str!("../../lessons/scenarios/agent-paused.toml"),
    ),
    (
        "leader-cut-off",
        include_str!("../../lessons/scenarios/leader-cut-off.toml"),
    ),
    (
        "leader-cut-from-store",
        include_str!("../../lessons/scenarios/leader-cut-from-store.toml"),
    ),
    (
        "two-candidates",
        include_str!("../../lessons/scenarios/two-candidates.toml"),
    ),
];
