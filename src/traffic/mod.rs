//! Who writes, and what routes the writes: clients and a health-checking proxy.

mod outside;
mod router;
mod writer;

pub use outside::Places;
pub use router::Router;
pub use writer::Writer;
