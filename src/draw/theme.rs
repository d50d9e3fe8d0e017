//! The colours, light and dark. Red and hatching mean two primaries and lost writes, nothing else.

/// One of the two palettes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
}

/// An opaque colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// `#rrggbb`
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
    const fn hex(rgb: u32) -> Rgb {
        Rgb((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8)
    }
}

/// What a colour is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ink {
    /// Behind everything.
    Paper,
    /// Behind chips.
    Panel,
    /// Text and outlines.
    Text,
    /// Secondary text, frozen, dead.
    Mute,
    /// Grid and separators.
    Line,
    /// Two primaries, lost writes.
    Bad,
    /// On top of a node's colour.
    OnNode,
    /// A node's own hue.
    Node(u8),
}

/// Seven hues, as many as a scenario may have nodes, that look different to people who see all colours and to those
/// who do not; a test measures it. The first three are those of a usual cluster.
const LIGHT_NODES: [u32; 7] = [0x0072b2, 0xae6400, 0x00703c, 0x52205c, 0x856a82, 0x1d268f, 0x8000ff];
const DARK_NODES: [u32; 7] = [0x4aa3df, 0xeba33a, 0x4fd07f, 0xa3838d, 0xbccfeb, 0xf5e000, 0x8a80ff];

impl Theme {
    pub fn colour(self, ink: Ink) -> Rgb {
        let (light, dark) = match ink {
            Ink::Paper => (0xfbfaf7, 0x14161a),
            Ink::Panel => (0xffffff, 0x1b1e24),
            Ink::Text => (0x1b1f24, 0xe8e6e1),
            Ink::Mute => (0x5c666f, 0x98a1aa),
            Ink::Line => (0xe3e0d8, 0x2c3038),
            Ink::Bad => (0xc8401a, 0xff7a52),
            Ink::OnNode => (0xffffff, 0x14161a),
            Ink::Node(n) => {
                let n = usize::from(n) % LIGHT_NODES.len();
                (LIGHT_NODES[n], DARK_NODES[n])
            }
        };
        Rgb::hex(match self {
            Theme::Light => light,
            Theme::Dark => dark,
        })
    }
}
