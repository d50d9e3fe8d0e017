//! More scenarios, which the command line and the tests know by name and the page does not carry: the table of measurements
//! of the real software, and incidents that were reported in public. From `lessons/scenarios/`.

macro_rules! scenarios {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../lessons/scenarios/", $name, ".toml")))),*]
    };
}

/// Name and text of each.
pub const MORE: &[(&str, &str)] = scenarios! {
    "measured/row-01-host-crash"
    "measured/row-02-agent-killed"
    "measured/row-03-agent-paused"
    "measured/row-04-agent-and-database-paused"
    "measured/row-05-packets-dropped"
    "measured/row-06-packets-dropped-later"
    "measured/row-07-packets-rejected"
    "measured/row-08-leader-cut-from-store"
    "measured/row-09-store-cut-from-all"
    "measured/row-10-store-refused-for-all"
    "measured/row-11-store-paused-60"
    "measured/row-12-store-paused-25"
    "measured/row-13-store-answers-lost"
    "measured/row-14-store-answers-and-questions-lost"
    "measured/row-15-all-agents-paused"
    "measured/row-16-agent-paused-33"
    "measured/row-17-switchover"
    "measured/row-18-agent-terminated"
    "measured/row-19-database-killed"
    "measured/row-20-failsafe-packets-dropped"
    "measured/row-21-failsafe-store-paused"
    "measured/row-22-failsafe-leader-cut-from-store"
    "measured/row-23-failsafe-store-paused-standby-dead"
    "measured/row-24-failsafe-store-answers-lost"
    "measured/row-25-failsafe-agent-paused"
    "measured/row-26-synchronous-agent-paused"
    "measured/row-27-synchronous-packets-dropped"
    "measured/row-28-quorum-host-crash"
    "measured/row-29-gray-store-refresh-due"
    "measured/row-30-gray-store"
    "measured/row-31-gray-store-agent-stalled"
    "measured/row-32-failsafe-gray-store-agent-stalled"
    "measured/row-33-failsafe-gray-store-reachable"
    "measured/row-34-gray-card-refresh-due"
    "measured/row-35-gray-card"
    "incidents/m01-agent-frozen"
    "incidents/m02-old-primary-takes-the-key-back"
    "incidents/m02-successor-dies-before-history"
    "incidents/m06-unknown-error-of-the-store"
    "incidents/m09-clock-stepped-back"
    "incidents/m11-failsafe-distant-member"
    "clocks/clk-1"
    "clocks/clk-2"
    "clocks/clk-3"
    "clocks/clk-4-forward"
    "clocks/clk-4-back"
    "clocks/tt-1"
    "clocks/tt-2"
    "clocks/tt-3"
    "clocks/lamport-converse"
    "clocks/slew"
    "gray/disk-dead"
};
