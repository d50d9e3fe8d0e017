//! What people call the things of a world, whichever system it is.

use super::Layout;
use crate::engine::{Place, ProcId};
use crate::vocabulary::NodeId;

/// Names for processes and places, as scenarios write them.
pub trait Named {
    fn process_name(&self, process: ProcId) -> String;
    fn place_name(&self, place: Place) -> String;
    fn node_name(&self, node: NodeId) -> &str;
}

impl Named for Layout {
    fn process_name(&self, process: ProcId) -> String {
        Layout::process_name(self, process)
    }
    fn place_name(&self, place: Place) -> String {
        Layout::place_name(self, place)
    }
    fn node_name(&self, node: NodeId) -> &str {
        Layout::node_name(self, node)
    }
}
