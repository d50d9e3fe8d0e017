//! The reference of all settings and faults: a page of its own, from the same descriptions as the form and the validation.

use crate::scenario::fields::GROUPS;
use crate::scenario::{COMMON, FAULTS, FIELDS, FaultSpec, Field, PLACED_ON_NODES};
use yew::prelude::*;

/// `lab`: the way back to what was open.
pub fn view(lab: String) -> Html {
    let group = |(section, title): &(&'static str, &'static str)| {
        let fields = FIELDS.iter().filter(|field| field.section() == *section);
        html! { <section key={*title}><h2>{ title }</h2><dl>{ for fields.map(entry) }</dl></section> }
    };
    html! {
        <main class="reference">
            <h1 id="reference-title" tabindex="-1">{ "All settings and faults" }</h1>
            <p>
                { "Every field of a scenario, as the page and the command line take it. Patroni’s settings keep Patroni’s names and units. " }
                <a href={lab}>{ "Back to the lab" }</a>
            </p>
            { for GROUPS.iter().map(group) }
            <section>
                <h2>{ "Faults" }</h2>
                <p>{ "Every fault begins with a line " }<code>{ "[[fault]]" }</code>{ " and has these fields:" }</p>
                <dl>{ for COMMON.iter().map(|field| fault_field(field, false)) }</dl>
                <p>{ PLACED_ON_NODES }</p>
            </section>
            { for FAULTS.iter().map(fault) }
        </main>
    }
}

fn entry(field: &'static Field) -> Html {
    html! {
        <>
            <dt id={format!("field-{}", field.key)}><b>{ field.label }</b>{ " " }<code>{ field.key }</code></dt>
            <dd>
                <p>{ field.help }</p>
                <p class="help">{ format!("{} Source: {}.", takes(field), field.source) }</p>
            </dd>
        </>
    }
}

fn takes(field: &Field) -> String {
    let default = match field.default {
        Some(default) => format!("{} when left out", format!("{default} {}", field.unit).trim_end()),
        None => "no fixed value when left out".to_owned(),
    };
    format!("Takes {}; {default}.", field.takes())
}

fn fault(spec: &'static FaultSpec) -> Html {
    let field = |field: &'static Field| fault_field(field, spec.hosts_only.contains(&field.key));
    html! {
        <section key={spec.kind}>
            <h3 id={format!("fault-{}", spec.kind)}><code>{ spec.kind }</code></h3>
            <p>{ spec.help }</p>
            <p class="help">{ format!("Strikes {}.", spec.takes.words()) }</p>
            <dl>{ for spec.fields.iter().map(field) }</dl>
            <pre>{ spec.example }</pre>
        </section>
    }
}

fn fault_field(field: &'static Field, only_hosts: bool) -> Html {
    html! {
        <>
            <dt><code>{ field.key }</code></dt>
            <dd>
                <p>{ field.help }</p>
                <p class="help">{ takes(field) }{ if only_hosts { " Only for a whole host." } else { "" } }</p>
            </dd>
        </>
    }
}
