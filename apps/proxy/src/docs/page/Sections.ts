/** The sections of the API reference that describe the proxy as a whole. */
import type { PassThroughRule } from "../../config/Config.ts"
import { errorCodes } from "../../exchange/ErrorCode.ts"
import type { CostTable } from "../../quota/CostTable.ts"
import { responseHeaders } from "../openapi/OperationPaths.ts"
import { costText } from "./EndpointView.ts"
import { type Html, html } from "./Html.ts"

type Rows = ReadonlyArray<readonly [header: string, value: string, meaning: string]>

const headerTable = (label: string, rows: Rows): Html =>
  html`<table class="headers" aria-label="${label}"><tbody>${
    rows.map(([header, value, meaning]) =>
      html`<tr><th scope="row"><code>${header}</code>${
        value === "" ? null : html`<br><code class="muted">${value}</code>`
      }</th><td>${meaning}</td></tr>`
    )
  }</tbody></table>`

export const introduction = (description: string): Html =>
  html`<p class="lead">${description}</p>
<p>Set the base URL of your client to the origin of this page, <code>$PROXY</code> in the commands. No other change is needed. Amounts have up to 256
bits: parse them without losing digits.</p>
<p>Each operation has a price and a rate cost in units. Your daily quota counts the prices of your requests, as the upstream reports
them, and your rate limit their rate costs.</p>`

const authenticationSection: Html =
  html`<p>Send your token as <code>X-API-Key</code> or <code>Authorization: Bearer</code>. A proxy with anonymous access
requires no token. Never send an upstream API key: the proxy adds it.</p>`

const requestHeadersSection: Html = headerTable("Request headers", [
  ["X-API-Key", "", "Your token."],
  ["Cache-Control", "no-cache", "Bypasses the cache and refreshes it, if the operator allows that."],
  ["Cache-Control", "no-store", "Bypasses the cache. The response is not stored."],
  [
    "Cache-Control",
    "only-if-cached",
    "Returns a cached response, or 504 with the code not-cached. Sends no upstream request."
  ],
  [
    "If-None-Match",
    "W/\"…\"",
    "ETag of your copy. The response is 304 without a body if the copy is current."
  ],
  ["X-Request-Id", "A-Z a-z 0-9 . _ -", "ID for this request, at most 64 characters."]
])

const responseHeadersSection: Html = headerTable("Response headers", responseHeaders)

const listsSection: Html =
  html`<p>Prefix the path of a list with <code>/all</code> to stream all records as NDJSON, one JSON document per line. The
proxy reads pages only as fast as you read the response. The last line states how the list ended. After a failure the
connection closes before the end of the response, which clients report as an error.</p>
<pre tabindex="0"><code>{"end":{"records":1250}}
{"failure":{"code":"upstream-timeout","message":"…"},"cursor":"…"}</code></pre>
<p>To resume after a failure, send its <code>cursor</code> as the parameter <code>cursor</code>. <code>end=false</code> leaves out
the line <code>end</code>. Each page costs the units of its operation.</p>`

/** The rules of pass-through. Empty without any. */
export const rulesSection = (
  rules: ReadonlyArray<PassThroughRule>,
  costs: CostTable
): ReadonlyArray<Section> =>
  rules.length === 0 ? [] : [{
    id: "passthrough",
    title: "Pass-through",
    content: headerTable(
      "Rules of pass-through",
      rules.map(({ cost, method, name, path }) => [
        `${method} ${path}`,
        name,
        `Passed through to the upstream, which describes it. ${costText(cost ?? costs.ofPath(path))}.`
      ])
    )
  }]

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

export interface Section {
  readonly id: string
  readonly title: string
  readonly content: Html
}

/** The last one follows the operations. */
export const sections: ReadonlyArray<Section> = [
  { id: "authentication", title: "Authentication", content: authenticationSection },
  { id: "request-headers", title: "Request headers", content: requestHeadersSection },
  { id: "response-headers", title: "Response headers", content: responseHeadersSection },
  { id: "streaming", title: "Streaming lists", content: listsSection },
  { id: "errors", title: "Errors", content: errorsSection }
]
