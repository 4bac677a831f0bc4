/** One operation on the page: its parameters, its answers, a line for a terminal, and a form to try it. */
import type { Document, Endpoint, Parameter } from "./Document.ts"
import { type Html, html } from "./Html.ts"
import * as SchemaView from "./SchemaView.ts"

type Values = Readonly<Record<string, string>>

/** A parameter of several values has two names, of which one is shown. */
const single = ({ parameters = [] }: Endpoint): ReadonlyArray<Parameter> => {
  const names = new Set(parameters.map(({ name }) => name))
  return parameters.filter(({ name }) => !(name.endsWith("[]") && names.has(name.slice(0, -2))))
}

const bodyOf = ({ requestBody }: Endpoint): unknown => requestBody?.content["application/json"]?.schema

/** What can be given: parameters, and the members of the body. */
const inputsOf = (endpoint: Endpoint): ReadonlyArray<Parameter> => [
  ...single(endpoint),
  ...bodyMembers(bodyOf(endpoint))
]

const bodyMembers = (schema: unknown): ReadonlyArray<Parameter> => {
  const { properties = {}, required = [] }: {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>
    readonly required?: ReadonlyArray<string>
  } = Object(schema)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "body",
    required: required.includes(name),
    description: schema.description,
    schema
  }))
}

const row = (
  { description = "", in: place, name, required, schema }: Parameter,
  { components }: Document
): Html => {
  const choices = SchemaView.choices(schema)
  const type = SchemaView.typeOf(schema, components.schemas)
  const values = choices.length > 6
    ? html`<details class="choices"><summary>${choices.length} values</summary>
<code>${choices.join(", ")}</code></details>`
    : html`<span class="type">${type}</span>`
  return html`<tr>
<th scope="row"><code>${name}</code>${when(required, html`<span class="required"> required</span>`)}</th>
<td>${description} ${values}${when(place !== "query", html` <span class="type">in the ${place}</span>`)}${
    when(type.endsWith("[]"), html` <span class="type">may be repeated</span>`)
  }</td>
</tr>`
}

const when = (condition: boolean, markup: Html): Html | null => condition ? markup : null

const parameters = (endpoint: Endpoint, document: Document): Html | null => {
  const inputs = inputsOf(endpoint)
  return when(
    inputs.length > 0,
    html`<h4>Parameters</h4>
<table class="parameters"><thead class="unseen"><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead>
<tbody>${inputs.map((input) => row(input, document))}</tbody></table>`
  )
}

const answers = ({ responses }: Endpoint, { components: { schemas } }: Document): Html => {
  const schema = responses["200"]?.content?.["application/json"]?.schema
  const others = Object.keys(responses).filter((status) => status !== "200")
  return html`<h4>Answers</h4>
<p><span class="pill good">200</span> ${responses["200"]?.description ?? ""}</p>
${
    when(
      schema !== undefined,
      html`<details class="schema"><summary>Members of ${SchemaView.typeOf(schema ?? {}, schemas)}</summary>
<p class="muted">A member with ? may be absent.</p>${SchemaView.members(schema ?? {}, schemas)}</details>`
    )
  }
${
    when(
      others.length > 0,
      html`<p class="statuses muted">Failures: ${
        others.map((status) => html`<a class="pill" href="#failures">${status}</a> `)
      }</p>`
    )
  }`
}

const field = (id: string, { in: place, name, required, schema }: Parameter, value: string): Html => {
  const choices = SchemaView.choices(schema)
  const attributes = html`id="${id}-${name}" data-in="${place}" name="${name}"`
  const option = (choice: string) =>
    choice === value ? html`<option selected>${choice}</option>` : html`<option>${choice}</option>`
  const control = choices.length > 0
    ? html`<select ${attributes}>${(required ? choices : ["", ...choices]).map(option)}</select>`
    : html`<input ${attributes} value="${value}" autocomplete="off" spellcheck="false">`
  const star = html`<span class="required" title="required"> *</span>`
  return html`<label for="${id}-${name}">${name}${when(required, star)}</label>
${control}`
}

const wishes = ["", "no-cache", "no-store", "only-if-cached"]

const form = (endpoint: Endpoint, values: Values): Html => {
  const { id, list, method, path } = endpoint
  const wish = html`<label for="${id}-wish">Cache-Control</label>
<select id="${id}-wish" data-in="cache-control">${
    wishes.map((wish) => html`<option>${wish}</option>`)
  }</select>`
  const whole = html`<label for="${id}-whole">The whole list</label>
<span><input type="checkbox" id="${id}-whole" data-in="whole"> from /all, as NDJSON</span>`
  return html`<form data-id="${id}" data-method="${method}" data-path="${path}" aria-label="Try ${id}">
<div class="fields">
${inputsOf(endpoint).map((input) => field(id, input, values[input.name] ?? ""))}
${when(method === "GET", wish)}
${when(list, whole)}
</div>
<p><button class="main">${method === "GET" ? "Send" : "Send the change"}</button></p>
<div class="result" aria-live="polite"></div>
</form>`
}

export const view = (endpoint: Endpoint, document: Document, values: Values): Html => {
  const { aliases, id, list, method, path, summary } = endpoint
  const issue = endpoint["x-known-issue"]
  const sought = [id, method, path, ...aliases, summary, ...inputsOf(endpoint).map(({ name }) => name)]
  return html`<article id="${id}" class="panel" data-search="${sought.join(" ").toLowerCase()}">
<header>
<h3><a href="#${id}">${summary}</a></h3>
<p class="path"><span class="verb ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
<p class="muted"><code>${id}</code>${aliases.map((alias) => html` · also at <code>${alias}</code>`)}${
    when(list, html` · whole at <code>/all${path}</code>`)
  }</p>
${when(issue !== undefined, html`<p class="issue">Known issue: ${issue ?? ""}</p>`)}
</header>
<div class="columns">
<div>${parameters(endpoint, document)}${answers(endpoint, document)}</div>
<div>
<div class="curl"><div><h4>At a terminal</h4><button type="button" class="copy">Copy</button></div>
<pre tabindex="0"><code>curl "$PROXY${path}"</code></pre></div>
<details class="try"><summary>Try it</summary>${form(endpoint, values)}</details>
</div>
</div>
</article>`
}
