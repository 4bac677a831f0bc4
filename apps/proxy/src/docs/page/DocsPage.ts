/** API reference at `/docs`: the OpenAPI document for people, with curl commands and forms that send requests. */
import type { ExampleValues } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import type { Config } from "../../config/Config.ts"
import { errorCodes } from "../../exchange/ErrorCode.ts"
import type * as ProxyResponse from "../../exchange/ProxyResponse.ts"
import * as OpenApiDocument from "../openapi/OpenApiDocument.ts"
import { responseSchemas } from "../openapi/ResponseSchemas.ts"
import { script } from "./browser/docs.ts?inline-script"
import { docsStyle } from "./DocsStyle.ts"
import { type Endpoint, endpoints } from "./Endpoint.ts"
import * as EndpointView from "./EndpointView.ts"
import { type Html, html } from "./Html.ts"
import * as HtmlPage from "./HtmlPage.ts"
import {
  authenticationSection,
  introduction,
  listsSection,
  requestHeadersSection,
  responseHeadersSection
} from "./Sections.ts"
import { sharedStyle } from "./SharedStyle.ts"

export interface DocsPageOptions {
  /** Example values of the sandbox. Default: values of Ethereum. */
  readonly examples: ExampleValues | undefined
  readonly costs: Config["costs"]
}

/** Renders the page, which takes tens of milliseconds. Callers cache the result. */
export const render = ({ costs, examples }: DocsPageOptions): ProxyResponse.ProxyResponse =>
  HtmlPage.render({
    title: "quarry-proxy API",
    body: body(endpoints(costs, examples)),
    style: sharedStyle + docsStyle,
    script
  })

interface Section {
  readonly id: string
  readonly title: string
  readonly content: Html
}

const sections = (): ReadonlyArray<Section> => [
  { id: "authentication", title: "Authentication", content: authenticationSection },
  { id: "request-headers", title: "Request headers", content: requestHeadersSection },
  { id: "response-headers", title: "Response headers", content: responseHeadersSection },
  { id: "streaming", title: "Streaming lists", content: listsSection },
  { id: "errors", title: "Errors", content: errorsSection }
]

const errorsSection: Html =
  html`<p>Errors of the proxy are JSON with three fields: <code>message</code> describes the error and its fix,
<code>code</code> identifies it for programs, and <code>requestId</code> identifies the request in the log. Upstream errors are
passed through unchanged.</p>
<table class="codes">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${
    Object.entries(errorCodes).map(([code, { description: meaning, status }]) =>
      html`<tr><td class="number">${status}</td><th scope="row"><code>${code}</code></th><td>${meaning}</td></tr>`
    )
  }</tbody></table>`

const body = (endpoints: ReadonlyArray<Endpoint>): Html => {
  const { info, tags } = OpenApiDocument
  const schemas = responseSchemas(allOperations)
  const groups = tags.map((group) => ({
    ...group,
    endpoints: endpoints.filter(({ tag }) => tag === group.name)
  })).filter(({ endpoints }) => endpoints.length > 0)
  return html`<a class="skip" href="#main">Skip to content</a>
<header class="top"><h1>${info.title} <span class="muted">API ${info.version}</span></h1>
<a href="/openapi.json">OpenAPI document</a></header>
<div class="layout">
<nav aria-label="Contents">
<ul>${sections().map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${groups.map(({ description, endpoints }) => html`<h2>${description}</h2><ul>${endpoints.map(link)}</ul>`)}
</nav>
<main id="main">
<section class="panel prose" id="introduction">${introduction(info.description)}</section>
${sections().slice(0, -1).map(section)}
${
    groups.map(({ description, endpoints, name }) =>
      html`<section aria-labelledby="api-${name}"><h2 class="group" id="api-${name}">${description}</h2>
${endpoints.map((endpoint) => EndpointView.view(endpoint, schemas))}</section>`
    )
  }
${sections().slice(-1).map(section)}
<noscript><p class="panel prose">Commands and forms need JavaScript.</p></noscript>
</main>
</div>
`
}

const link = ({ id, method, path }: Endpoint): Html =>
  html`<li><a href="#${id}"><span class="verb ${method.toLowerCase()}">${method}</span> ${id}<span class="unseen"> ${path}</span></a></li>`

const section = ({ content, id, title }: Section): Html =>
  html`<section class="panel prose" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${content}</section>`
