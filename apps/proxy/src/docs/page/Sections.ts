/** The sections of the API reference that describe the proxy as a whole. */
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
<p>Set the base URL of your client to <code class="origin">$PROXY</code>. No other change is needed. Amounts have up to 256
bits: parse them without losing digits.</p>
<p>Each operation costs units. Your rate limit and daily quota count the units of your requests.</p>`

export const authenticationSection: Html =
  html`<p>Send your token as <code>X-API-Key</code> or <code>Authorization: Bearer</code>. A proxy with anonymous access
requires no token. Never send an upstream API key: the proxy adds it.</p>
<div class="token"><label for="token-field">Token for the forms on this page</label>
<input id="token-field" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-note">
<p id="token-note" class="muted">Stored in the memory of this tab only.</p></div>`

export const requestHeadersSection: Html = headerTable("Request headers", [
  ["X-API-Key", "", "Your token."],
  ["Cache-Control", "no-cache", "Bypasses the cache and refreshes it."],
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

export const responseHeadersSection: Html = headerTable("Response headers", [
  ["X-Request-Id", "", "ID of the request. The proxy's log contains it."],
  [
    "Cache-Status",
    "quarry-proxy; hit; ttl=12",
    "Cache result (RFC 9211): hit with the remaining TTL in seconds, or fwd with the reason for the upstream request. detail=stale marks a stale response, served during a refresh or after an upstream failure."
  ],
  ["Age", "3", "Age of the response in seconds."],
  ["ETag", "W/\"…\"", "Entity tag of the response, for If-None-Match."],
  [
    "RateLimit",
    "\"rate\";r=31;t=1",
    "Remaining units (r) of your rate limit and daily quota, and the seconds until more are available (t)."
  ],
  ["RateLimit-Policy", "\"rate\";q=50;w=1", "Units (q) per window in seconds (w)."],
  ["Retry-After", "7", "With 429 and 503: seconds to wait before a retry."]
])

export const listsSection: Html =
  html`<p>Prefix the path of a list with <code>/all</code> to stream all records as NDJSON, one JSON document per line. The
proxy reads pages only as fast as you read the response. The last line states how the list ended; if it is missing, the stream
was cut off.</p>
<pre tabindex="0"><code>{"end":{"records":1250}}
{"failure":{"code":"upstream-timeout","message":"…"},"cursor":"…"}</code></pre>
<p>To resume after a failure, send its <code>cursor</code> as the parameter <code>cursor</code>. Each page
costs the units of its operation.</p>`
