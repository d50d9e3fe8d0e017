//! The reference of all settings: a page of its own, from the same description as the form.

use crate::scenario::fields::GROUPS;
use crate::scenario::{FIELDS, Field};
use yew::prelude::*;

/// `lab`: the way back to what was open.
pub fn view(lab: String) -> Html {
    let group = |(section, title): &(&'static str, &'static str)| {
        let fields = FIELDS.iter().filter(|field| field.section() == *section);
        html! { <section key={*title}><h2>{ title }</h2><dl>{ for fields.map(entry) }</dl></section> }
    };
    html! {
        <main class="reference">
            <h1 id="reference-title" tabindex="-1">{ "All settings" }</h1>
            <p>
                { "Every field of a scenario, as the page and the command line take it. Patroni’s settings keep Patroni’s names and units. " }
                <a href={lab}>{ "Back to the lab" }</a>
            </p>
            { for GROUPS.iter().map(group) }
        </main>
    }
}

fn entry(field: &'static Field) -> Html {
    let default = match field.default {
        Some(default) => format!("{} when left out", format!("{default} {}", field.unit).trim_end()),
        None => "no fixed value when left out".to_owned(),
    };
    html! {
        <>
            <dt id={format!("field-{}", field.key)}><b>{ field.label }</b>{ " " }<code>{ field.key }</code></dt>
            <dd>
                <p>{ field.help }</p>
                <p class="help">{ format!("Takes {}; {default}. Source: {}.", field.takes(), field.source) }</p>
            </dd>
        </>
    }
}
