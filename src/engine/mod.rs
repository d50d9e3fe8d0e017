//! Time, node clocks, the event queue, randomness, the network, disks, processes and the trace.
pub mod time;
