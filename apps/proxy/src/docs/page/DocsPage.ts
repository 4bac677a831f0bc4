/** API reference at `/docs`: the OpenAPI document for people, with curl commands. Needs no script. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import type * as HttpResponse from "@blockquarry/server/HttpResponse"
import * as OpenApiDocument from "../openapi/OpenApiDocument.ts"
import { responseSchemas } from "../openapi/ResponseSchemas.ts"
import { docsStyle } from "./DocsStyle.ts"
import * as EndpointView from "./EndpointView.ts"
import { type Html, html } from "./Html.ts"
import * as HtmlPage from "./HtmlPage.ts"
import { introduction, rulesSection, type Section, sections } from "./Sections.ts"

/** Renders the page, which takes tens of milliseconds. Callers cache the result. */
export const render = (options: EndpointView.ViewOptions): HttpResponse.HttpResponse =>
  HtmlPage.render({
    title: "quarry-proxy API",
    body: body(options),
    style: docsStyle
  })

const body = (options: EndpointView.ViewOptions): Html => {
  const { info, tags } = OpenApiDocument
  const schemas = responseSchemas(allOperations)
  const groups = tags.map((group) => ({
    ...group,
    operations: allOperations.filter(({ api }) => api === group.name)
  })).filter(({ operations }) => operations.length > 0)
  const all = [
    ...sections.slice(0, -1),
    ...rulesSection(options.passthrough.rules, options.costs),
    ...sections.slice(-1)
  ]
  return html`<a class="skip" href="#main">Skip to content</a>
<header class="top"><h1>${info.title} <span class="muted">API ${info.version}</span></h1>
<a href="/openapi.json">OpenAPI document</a></header>
<div class="layout">
<nav aria-label="Contents">
<ul>${all.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${groups.map(({ description, operations }) => html`<h2>${description}</h2><ul>${operations.map(link)}</ul>`)}
</nav>
<main id="main">
<section class="panel prose" id="introduction">${introduction(info.description)}</section>
${all.slice(0, -1).map(section)}
${
    groups.map(({ description, name, operations }) =>
      html`<section aria-labelledby="api-${name}"><h2 class="group" id="api-${name}">${description}</h2>
${operations.map((operation) => EndpointView.view(operation, options, schemas))}</section>`
    )
  }
${all.slice(-1).map(section)}
</main>
</div>
`
}

const link = ({ id, method }: AnyOperation): Html =>
  html`<li><a href="#${id}"><span class="verb ${method.toLowerCase()}">${method}</span> ${id}</a></li>`

const section = ({ content, id, title }: Section): Html =>
  html`<section class="panel prose" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${content}</section>`
