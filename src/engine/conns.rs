//! The connections there are. Whatever is sent or delivered looks one up, so finding one takes a step or two, not a search.

use super::ids::ConnId;
use super::net::Conn;
use super::trace::Wire;

/// No connection: not opened yet, or over.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Conns<W: Wire> {
    /// By number, where in `places`. Numbers are given in order and never again, so this only grows: four bytes each.
    place_of: Vec<u32>,
    places: Vec<Option<Conn<W>>>,
    free: Vec<u32>,
}

impl<W: Wire> Conns<W> {
    pub fn new() -> Conns<W> {
        Conns {
            place_of: Vec::new(),
            places: Vec::new(),
            free: Vec::new(),
        }
    }

    fn place(&self, id: ConnId) -> usize {
        self.place_of.get(id.index()).map_or(NONE, |&place| place) as usize
    }
    pub fn get(&self, id: ConnId) -> Option<&Conn<W>> {
        self.places.get(self.place(id))?.as_ref()
    }
    pub fn get_mut(&mut self, id: ConnId) -> Option<&mut Conn<W>> {
        let place = self.place(id);
        self.places.get_mut(place)?.as_mut()
    }

    pub fn insert(&mut self, id: ConnId, conn: Conn<W>) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() as u32 - 1
        });
        self.places[place as usize] = Some(conn);
        if self.place_of.len() <= id.index() {
            self.place_of.resize(id.index() + 1, NONE);
        }
        self.place_of[id.index()] = place;
    }

    pub fn remove(&mut self, id: ConnId) {
        if let Some(place) = self.place_of.get_mut(id.index())
            && *place != NONE
        {
            let place = std::mem::replace(place, NONE);
            self.places[place as usize] = None;
            self.free.push(place);
        }
    }

    /// In the order of their numbers, which is that of their opening.
    pub fn iter(&self) -> impl Iterator<Item = (ConnId, &Conn<W>)> {
        let number = |at: usize| ConnId(at as u32);
        let all = (0..self.place_of.len()).map(number);
        all.filter_map(|id| Some((id, self.get(id)?)))
    }
}
