//! Canvases that are sharp on every screen: how large they are shown, and how many dots that is.

use super::browser::{self, Listener};
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, ResizeObserver};
use yew::prelude::*;

/// How wide an element is shown, in CSS pixels, and how many dots of the screen make one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    pub width: f64,
    pub dots: f64,
}

impl Size {
    fn of(element: &HtmlElement) -> Size {
        let dots = browser::window().map_or(1.0, |window| window.device_pixel_ratio());
        Size {
            width: f64::from(element.client_width()),
            dots,
        }
    }
}

/// The size of an element, now and whenever it changes.
#[hook]
pub fn use_size(element: &NodeRef) -> Size {
    let size = use_state_eq(Size::default);
    let (element, set) = (element.clone(), size.setter());
    use_effect_with((), move |()| {
        let watch = element
            .cast::<HtmlElement>()
            .and_then(|element| Watch::new(element, set));
        move || drop(watch)
    });
    *size
}

/// Tells the size of an element until it is dropped.
struct Watch {
    observer: ResizeObserver,
    _closure: Closure<dyn FnMut()>,
    // A page that is moved to another screen, or zoomed, may keep its width in CSS pixels.
    _listener: Option<Listener>,
}

impl Watch {
    fn new(element: HtmlElement, set: UseStateSetter<Size>) -> Option<Watch> {
        let measure = {
            let element = element.clone();
            move || set.set(Size::of(&element))
        };
        measure();
        let again = measure.clone();
        let listener = browser::window().map(|window| Listener::new(&window, "resize", move |_| again()));
        let closure = Closure::<dyn FnMut()>::new(measure);
        let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
        observer.observe(&element);
        Some(Watch {
            observer,
            _closure: closure,
            _listener: listener,
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// The context of a canvas that has been made so large. A change of size wipes it out.
pub fn fitted(canvas: &HtmlCanvasElement, size: Size, height: f64) -> Option<CanvasRenderingContext2d> {
    let (wide, high) = (
        (size.width * size.dots).round() as u32,
        (height * size.dots).round() as u32,
    );
    if (canvas.width(), canvas.height()) != (wide, high) {
        canvas.set_width(wide);
        canvas.set_height(high);
        let style = canvas.style();
        // Neither is refused: both are lengths.
        let _ = style.set_property("width", &format!("{}px", size.width));
        let _ = style.set_property("height", &format!("{height}px"));
    }
    canvas.get_context("2d").ok()??.dyn_into().ok()
}
