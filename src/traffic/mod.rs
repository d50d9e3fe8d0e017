//! Who writes, and what routes the writes: clients and a health-checking proxy.

mod router;
mod writer;

pub use router::Router;
pub use writer::Writer;
