//! The verdict of stories told event by event.

mod believing;
mod claiming;
mod handing_over;
mod reading;
mod story;
mod writing;
