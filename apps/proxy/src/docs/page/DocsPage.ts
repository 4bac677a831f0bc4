/** The documentation, at `/docs`: the OpenAPI document made for reading, with lines to copy and forms to try. */
import type { LedgerExamples } from "@blockquarry/sandbox/Ledger"
import * as ProxyError from "../../exchange/ProxyError.ts"
import type * as ProxyResponse from "../../exchange/ProxyResponse.ts"
import * as OpenApiDocument from "../openapi/OpenApiDocument.ts"
import { script } from "./browser/docs.ts?inline-script"
import { docsStyle } from "./DocsStyle.ts"
import * as EndpointView from "./EndpointView.ts"
import { errorDescriptions } from "./ErrorDescriptions.ts"
import * as ExampleValues from "./ExampleValues.ts"
import { type Html, html } from "./Html.ts"
import * as HtmlPage from "./HtmlPage.ts"
import * as OpenApiModel from "./OpenApiModel.ts"
import {
  introduction,
  listsSection,
  requestHeadersSection,
  responseHeadersSection,
  tokenSection
} from "./Sections.ts"
import { sharedStyle } from "./SharedStyle.ts"

export interface DocsPageOptions {
  /** Values to try that the sandbox has answers to; without them values of the chain itself are used. */
  readonly examples: LedgerExamples | undefined
}

/** Takes some ten milliseconds: it is made once. */
export const render = ({ examples }: DocsPageOptions): ProxyResponse.ProxyResponse => {
  const document = OpenApiModel.read(OpenApiDocument.document())
  return HtmlPage.render({
    title: "quarry-proxy API",
    body: body(document, ExampleValues.make(examples)),
    style: sharedStyle + docsStyle,
    script
  })
}

const statuses: ReadonlyMap<string, number> = new Map(Object.entries(ProxyError.statusByCode))

interface Section {
  readonly id: string
  readonly title: string
  readonly content: Html
}

const sections = (): ReadonlyArray<Section> => [
  { id: "token", title: "Your token", content: tokenSection },
  { id: "sends", title: "Headers to send", content: requestHeadersSection },
  { id: "gets", title: "Headers to read", content: responseHeadersSection },
  { id: "lists", title: "Whole lists", content: listsSection },
  { id: "failures", title: "Failures", content: failures }
]

const failures: Html =
  html`<p>A failure of the proxy's own is JSON: <code>message</code> says what happened and what to do, programs go by
<code>code</code>, and <code>requestId</code> finds it in the log. Failures of the service are passed on as they came.</p>
<table class="codes">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">What it means</th></tr></thead>
<tbody>${
    Object.entries(errorDescriptions).map(([code, meaning]) => {
      const status = statuses.get(code) ?? ""
      return html`<tr data-search="${`${status} ${code} ${meaning}`.toLowerCase()}">
<td class="number">${status}</td><th scope="row"><code>${code}</code></th><td>${meaning}</td></tr>`
    })
  }</tbody></table>`

const body = (document: OpenApiModel.OpenApiModel, exampleValues: ExampleValues.ExampleValues): Html => {
  const endpoints = OpenApiModel.endpoints(document)
  const groups = document.tags.map((tag) => ({
    ...tag,
    endpoints: endpoints.filter(({ tags }) => tags.includes(tag.name))
  })).filter(({ endpoints }) => endpoints.length > 0)
  return html`<a class="skip" href="#main">Skip to the text</a>
<header class="top"><h1>${document.info.title} <span class="muted">API ${document.info.version}</span></h1>
<a href="/openapi.json">OpenAPI document</a></header>
<div class="layout">
<nav aria-label="Contents">
<label class="unseen" for="search">Search operations and codes</label>
<input id="search" type="search" placeholder="Search ( / )" autocomplete="off" spellcheck="false">
<p id="found" class="muted" role="status"></p>
<details id="contents" open><summary>Contents</summary>
<ul>${sections().map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${
    groups.map(({ description, endpoints }) =>
      html`<div data-group><h2>${description}</h2><ul>${endpoints.map(link)}</ul></div>`
    )
  }
</details>
</nav>
<main id="main">
<section class="panel prose" id="introduction">${introduction(document.info.description)}</section>
${sections().slice(0, -1).map(section)}
${
    groups.map(({ description, endpoints, name }) =>
      html`<section data-group aria-labelledby="api-${name}"><h2 class="group" id="api-${name}">${description}</h2>
${
        endpoints.map((endpoint) => EndpointView.view(endpoint, document, exampleValues[endpoint.id] ?? {}))
      }</section>`
    )
  }
${sections().slice(-1).map(section)}
<noscript><p class="panel prose">Searching, copying and trying need scripts; all the rest is here.</p></noscript>
</main>
</div>
`
}

const link = ({ id, method, path }: OpenApiModel.Endpoint): Html =>
  html`<li data-for="${id}"><a href="#${id}"><span class="verb ${method.toLowerCase()}">${method}</span> ${id}<span class="unseen"> ${path}</span></a></li>`

const section = ({ content, id, title }: Section): Html =>
  html`<section class="panel prose" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${content}</section>`
