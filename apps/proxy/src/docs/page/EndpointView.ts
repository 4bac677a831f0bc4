/** Renders one operation: parameters, responses, a curl command, and a form that sends requests. */
import { type Html, html } from "./Html.ts"
import type { Endpoint, OpenApiModel, ParameterObject } from "./OpenApiModel.ts"
import * as SchemaView from "./SchemaView.ts"

type ExampleInput = Readonly<Record<string, string>>

/** Returns the parameters without the second name, `name[]`, of array parameters. */
const withoutArrayAliases = ({ parameters = [] }: Endpoint): ReadonlyArray<ParameterObject> => {
  const names = new Set(parameters.map(({ name }) => name))
  return parameters.filter(({ name }) => !(name.endsWith("[]") && names.has(name.slice(0, -2))))
}

const bodyOf = ({ requestBody }: Endpoint): unknown => requestBody?.content["application/json"]?.schema

/** Returns all inputs: parameters and the fields of the body. */
const inputsOf = (endpoint: Endpoint): ReadonlyArray<ParameterObject> => [
  ...withoutArrayAliases(endpoint),
  ...bodyParameters(bodyOf(endpoint))
]

const bodyParameters = (schema: unknown): ReadonlyArray<ParameterObject> => {
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
  { description = "", in: location, name, required, schema }: ParameterObject,
  { components }: OpenApiModel
): Html => {
  const choices = SchemaView.choices(schema)
  const type = SchemaView.typeOf(schema, components.schemas)
  const values = choices.length > 6
    ? html`<details class="choices"><summary>${choices.length} values</summary>
<code>${choices.join(", ")}</code></details>`
    : html`<span class="type">${type}</span>`
  return html`<tr>
<th scope="row"><code>${name}</code>${when(required, html`<span class="required"> required</span>`)}</th>
<td>${description} ${values}${
    when(location !== "query", html` <span class="type">in the ${location}</span>`)
  }${when(type.endsWith("[]"), html` <span class="type">repeatable</span>`)}</td>
</tr>`
}

const when = (condition: boolean, markup: Html): Html | null => condition ? markup : null

const parameters = (endpoint: Endpoint, document: OpenApiModel): Html | null => {
  const inputs = inputsOf(endpoint)
  return when(
    inputs.length > 0,
    html`<h4>Parameters</h4>
<table class="parameters"><thead class="unseen"><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead>
<tbody>${inputs.map((input) => row(input, document))}</tbody></table>`
  )
}

const responsesView = ({ responses }: Endpoint, { components: { schemas } }: OpenApiModel): Html => {
  const schema = responses["200"]?.content?.["application/json"]?.schema
  const statuses = Object.keys(responses)
  const errors = statuses.filter((status) => Number(status) >= 400)
  return html`<h4>Responses</h4>
${
    statuses.filter((status) => Number(status) < 400).map((status) =>
      html`<p><span class="pill good">${status}</span> ${responses[status]?.description ?? ""}</p>`
    )
  }
${
    when(
      schema !== undefined,
      html`<details class="schema"><summary>Fields of ${SchemaView.typeOf(schema ?? {}, schemas)}</summary>
<p class="muted">Fields marked ? are optional.</p>${SchemaView.fields(schema ?? {}, schemas)}</details>`
    )
  }
${
    when(
      errors.length > 0,
      html`<p class="statuses muted">Errors: ${
        errors.map((status) => html`<a class="pill" href="#errors">${status}</a> `)
      }</p>`
    )
  }`
}

const field = (
  id: string,
  { in: location, name, required, schema }: ParameterObject,
  value: string
): Html => {
  const choices = SchemaView.choices(schema)
  const attributes = html`id="${id}-${name}" data-in="${location}" name="${name}"`
  const option = (choice: string) =>
    choice === value ? html`<option selected>${choice}</option>` : html`<option>${choice}</option>`
  const control = choices.length > 0
    ? html`<select ${attributes}>${(required ? choices : ["", ...choices]).map(option)}</select>`
    : html`<input ${attributes} value="${value}" autocomplete="off" spellcheck="false">`
  const star = html`<span class="required" title="required"> *</span>`
  return html`<label for="${id}-${name}">${name}${when(required, star)}</label>
${control}`
}

const cacheControlOptions = ["", "no-cache", "no-store", "only-if-cached"]

const form = (endpoint: Endpoint, values: ExampleInput): Html => {
  const { id, isList, method, path } = endpoint
  const cacheControlField = html`<label for="${id}-cache-control">Cache-Control</label>
<select id="${id}-cache-control" data-in="cache-control">${
    cacheControlOptions.map((option) => html`<option>${option}</option>`)
  }</select>`
  const allField = html`<label for="${id}-all">All pages</label>
<span><input type="checkbox" id="${id}-all" data-in="all"> stream from /all as NDJSON</span>`
  return html`<form data-id="${id}" data-method="${method}" data-path="${path}" aria-label="Try ${id}">
<div class="fields">
${inputsOf(endpoint).map((input) => field(id, input, values[input.name] ?? ""))}
${when(method === "GET", cacheControlField)}
${when(isList, allField)}
</div>
<p><button class="main">Send</button></p>
<div class="result" aria-live="polite"></div>
</form>`
}

export const view = (endpoint: Endpoint, document: OpenApiModel, values: ExampleInput): Html => {
  const { aliases, id, isList, method, path, summary } = endpoint
  const { "x-cost-units": cost, "x-known-issue": issue } = endpoint
  const searchText = [id, method, path, ...aliases, summary, ...inputsOf(endpoint).map(({ name }) => name)]
  return html`<article id="${id}" class="panel" data-search="${searchText.join(" ").toLowerCase()}">
<header>
<h3><a href="#${id}">${summary}</a></h3>
<p class="path"><span class="verb ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
<p class="muted"><code>${id}</code>${
    when(cost !== undefined, html` · ${cost ?? 0} ${cost === 1 ? "unit" : "units"}`)
  }${aliases.map((alias) => html` · also at <code>${alias}</code>`)}${
    when(isList, html` · streamed at <code>/all${path}</code>`)
  }</p>
${when(issue !== undefined, html`<p class="issue">Known issue: ${issue ?? ""}</p>`)}
</header>
<div class="columns">
<div>${parameters(endpoint, document)}${responsesView(endpoint, document)}</div>
<div>
<div class="curl"><div><h4>curl</h4><button type="button" class="copy">Copy</button></div>
<pre tabindex="0"><code>curl "$PROXY${path}"</code></pre></div>
<details class="try"><summary>Try it</summary>${form(endpoint, values)}</details>
</div>
</div>
</article>`
}
