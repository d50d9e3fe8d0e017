//! Patroni's dynamic configuration: what the `/config` key says, and what an operator changes of it (patroni.md 8).

use crate::engine::Span;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

/// Whether a commit waits for replicas, and who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "lowercase")]
pub enum SynchronousMode {
    /// It waits for none.
    Off,
    /// It waits for each of those that the leader's agent chose.
    On,
    /// It waits for some of them, whichever are the first.
    Quorum,
}

impl SynchronousMode {
    /// The mode with this word; any other word is the default.
    pub fn of(word: &str) -> SynchronousMode {
        match word {
            "on" => SynchronousMode::On,
            "quorum" => SynchronousMode::Quorum,
            _ => SynchronousMode::Off,
        }
    }

    /// As a scenario file writes it.
    pub const fn word(self) -> &'static str {
        match self {
            SynchronousMode::Off => "off",
            SynchronousMode::On => "on",
            SynchronousMode::Quorum => "quorum",
        }
    }
}

/// The value of one setting, to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingValue {
    Time(Span),
    Flag(bool),
    Bytes(u64),
    Count(u8),
    Mode(SynchronousMode),
}

impl From<Span> for SettingValue {
    fn from(span: Span) -> SettingValue {
        SettingValue::Time(span)
    }
}
impl From<bool> for SettingValue {
    fn from(flag: bool) -> SettingValue {
        SettingValue::Flag(flag)
    }
}
impl From<u64> for SettingValue {
    fn from(bytes: u64) -> SettingValue {
        SettingValue::Bytes(bytes)
    }
}
impl From<u8> for SettingValue {
    fn from(count: u8) -> SettingValue {
        SettingValue::Count(count)
    }
}
impl From<SynchronousMode> for SettingValue {
    fn from(mode: SynchronousMode) -> SettingValue {
        SettingValue::Mode(mode)
    }
}

/// Each setting is listed once, for the whole configuration and for a change of some of it.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty,)+) => {
        /// The dynamic configuration, all of it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
        pub struct Settings {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        /// What is to change of the dynamic configuration; `None` stays as it is.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
        pub struct Changes {
            $($(#[doc = $doc])+ #[serde(skip_serializing_if = "Option::is_none")] pub $name: Option<$type>,)+
        }

        impl Settings {
            /// The configuration after a change.
            #[must_use]
            pub fn changed(self, changes: &Changes) -> Settings {
                Settings { $($name: changes.$name.unwrap_or(self.$name),)+ }
            }

            /// What leads from `before` to this configuration.
            pub fn since(&self, before: &Settings) -> Changes {
                Changes { $($name: (self.$name != before.$name).then_some(self.$name),)+ }
            }
        }

        impl From<Settings> for Changes {
            /// Every setting.
            fn from(settings: Settings) -> Changes {
                Changes { $($name: Some(settings.$name),)+ }
            }
        }

        impl Changes {
            /// Each setting that changes, by Patroni's name for it.
            pub fn list(&self) -> Vec<(&'static str, SettingValue)> {
                let all = [$((stringify!($name), self.$name.map(SettingValue::from)),)+];
                all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
            }
        }
    };
}

settings! {
    /// The cluster is in maintenance mode.
    pause: bool,
    /// How long the leader key lives without a renewal. As written: every agent adjusts the timings for itself.
    ttl: Span,
    /// The period of the HA loop.
    loop_wait: Span,
    /// The deadline of one store operation with all its retries.
    retry_timeout: Span,
    /// Bytes of WAL a replica may be behind and still become the leader.
    maximum_lag_on_failover: u64,
    /// A node may become the leader only on the newest timeline that the store knows of.
    check_timeline: bool,
    /// How long a leader's database may take to start before another node takes over.
    primary_start_timeout: Span,
    /// How long a demoted leader's database may take to stop in synchronous mode; 0: for ever.
    primary_stop_timeout: Span,
    /// How long replicas wait for the old leader before they race; 0: not at all.
    primary_race_backoff: Span,
    /// What commits wait for.
    synchronous_mode: SynchronousMode,
    /// Commits wait rather than go on without a standby.
    synchronous_mode_strict: bool,
    /// For how many replicas a commit waits.
    synchronous_node_count: u8,
    /// Bytes of WAL that a synchronous standby may be behind; 0: any number.
    maximum_lag_on_syncnode: u64,
    /// What a database has written beyond the shared history is taken back with `pg_rewind`.
    use_pg_rewind: bool,
    /// Where that is not allowed, the database is thrown away and copied anew.
    remove_data_directory_on_diverged_timelines: bool,
    /// A leader that lost the store leads on while every member answers it.
    failsafe_mode: bool,
}
