/** Renders one operation: parameters, responses and a curl command. */
import { type AnyOperation, type ExampleValues, isList } from "@blockquarry/core/Operation"
import { decodeInput, encodeRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"
import type { Config, Cost } from "../../config/Config.ts"
import { prefixes } from "../../pipeline/Router.ts"
import type { CostTable } from "../../quota/CostTable.ts"
import { errorResponsesOf } from "../openapi/ErrorResponses.ts"
import { inputsOf, successesOf, template } from "../openapi/OperationPaths.ts"
import { reference, responseSchemaName } from "../openapi/ResponseSchemas.ts"
import { type Html, html } from "./Html.ts"
import * as SchemaView from "./SchemaView.ts"

export interface ViewOptions extends Pick<Config, "passthrough"> {
  readonly costs: CostTable
  /** Example values of the sandbox. Default: values of Ethereum. */
  readonly examples: ExampleValues | undefined
}

/** Well-known values. Streams belong to an account, and ledger transactions are on another chain. */
const ethereum: ExampleValues = {
  wallet: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
  token: "0xdac17f958d2ee523a2206206994597c13d831ec7",
  collection721: "0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d",
  tokenId721: "1",
  stream: "",
  transaction: ""
}

type Input = ReturnType<typeof inputsOf>[number]

/** Returns the paths of an operation: that to use, then its aliases. */
const pathsOf = (operation: AnyOperation): ReadonlyArray<string> =>
  prefixes(operation).map((prefix) => template(prefix + operation.path))

const row = (
  { description, in: location, jsonSchema: schema, name, required }: Input,
  schemas: SchemaView.NamedSchemas
): Html => {
  const known = SchemaView.knownValues(schema)
  const type = SchemaView.typeOf(schema, schemas)
  const values = known.length > 6
    ? html`<details class="choices"><summary>any value; ${known.length} are known</summary>
<code>${known.join(", ")}</code></details>`
    : html`<span class="type">${type}</span>`
  return html`<tr>
<th scope="row"><code>${name}</code>${when(required, html`<span class="required"> required</span>`)}</th>
<td>${description} ${values}${
    when(location !== "query", html` <span class="type">in the ${location}</span>`)
  }${when(type.endsWith("[]"), html` <span class="type">repeatable</span>`)}</td>
</tr>`
}

const when = (condition: boolean, markup: Html): Html | null => condition ? markup : null

const parameters = (operation: AnyOperation, schemas: SchemaView.NamedSchemas): Html =>
  html`<h4>Parameters</h4>
<table class="parameters"><thead class="unseen"><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead>
<tbody>${inputsOf(operation).map((input) => row(input, schemas))}</tbody></table>`

const responsesView = (operation: AnyOperation, schemas: SchemaView.NamedSchemas): Html => {
  const schema = reference(responseSchemaName(operation.id))
  return html`<h4>Responses</h4>
${
    Object.entries(successesOf(operation)).map(([status, meaning]) =>
      html`<p><span class="pill good">${status}</span> ${meaning}</p>`
    )
  }
<details class="schema"><summary>Fields of ${SchemaView.typeOf(schema, schemas)}</summary>
<p class="muted">Fields marked ? are optional.</p>${SchemaView.fields(schema, schemas)}</details>
<p class="statuses muted">Errors: ${
    Object.keys(errorResponsesOf(operation)).map((status) =>
      html`<a class="pill" href="#errors">${status}</a> `
    )
  }</p>`
}

/** Returns a command that sends the example of an operation, or, without one, its path. */
const curlCommand = (operation: AnyOperation, examples: ExampleValues = ethereum): string => {
  const { example, method } = operation
  const [prefix = ""] = prefixes(operation)
  const input = decodeInput<unknown, unknown>(operation, { ...example?.(examples) })
  const { body, path, query } = Either.isRight(input)
    ? encodeRequest(operation, input.right)
    : { body: null, path: template(operation.path), query: [] }
  const target = `${prefix}${path}${query.length === 0 ? "" : `?${formatQuery(query)}`}`
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"$PROXY${target}"`,
    "-H \"X-API-Key: $TOKEN\"",
    ...(body === null ? [] : ["-H 'Content-Type: application/json'", `-d '${body}'`])
  ].join(" \\\n  ")
}

/** As in `50 units per chains[], at most 25, rate cost 5`. */
export const costText = ({ per, price, rateCost }: Cost): string =>
  `${price} ${price === 1 ? "unit" : "units"}${
    per === undefined ? "" : ` per ${per.parameter}, at most ${per.maxItems}`
  }${rateCost === price ? "" : `, rate cost ${rateCost}`}`

export const view = (
  operation: AnyOperation,
  { costs, examples }: ViewOptions,
  schemas: SchemaView.NamedSchemas
): Html => {
  const { docs: { knownIssue, summary }, id, method } = operation
  const [path = "", ...aliases] = pathsOf(operation)
  return html`<article id="${id}" class="panel">
<header>
<h3><a href="#${id}">${summary}</a></h3>
<p class="path"><span class="verb ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
<p class="muted"><code>${id}</code> · ${costText(costs.of(operation))}${
    aliases.map((alias) => html` · also at <code>${alias}</code>`)
  }${when(isList(operation), html` · streamed at <code>/all${path}</code>`)}</p>
${when(knownIssue !== undefined, html`<p class="issue">Known issue: ${knownIssue ?? ""}</p>`)}
</header>
<div class="columns">
<div>${parameters(operation, schemas)}${responsesView(operation, schemas)}</div>
<div class="curl"><h4>curl</h4>
<pre tabindex="0"><code>${curlCommand(operation, examples)}</code></pre></div>
</div>
</article>`
}
