/** What the documentation says of the proxy as a whole. */
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
<p>Change the base URL of your client to <code class="origin">$PROXY</code>, and nothing else. Amounts have up to 256 bits:
read them without loss.</p>`

export const tokenSection: Html =
  html`<p>Send the token that you were given as <code>X-API-Key</code>, or as <code>Authorization: Bearer</code>. A proxy
that is open to everyone needs none. Never send a key of the service: the proxy has it, and tells nobody.</p>
<div class="token"><label for="token-field">Token for the forms on this page</label>
<input id="token-field" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-note">
<p id="token-note" class="muted">It stays in the memory of this tab, and is gone when you leave.</p></div>`

export const requestHeadersSection: Html = headerTable("Headers to send", [
  ["X-API-Key", "", "Your token."],
  ["Cache-Control", "no-cache", "Asks the service anew; the answer is kept for others."],
  ["Cache-Control", "no-store", "Asks the service anew, and keeps nothing of it."],
  [
    "Cache-Control",
    "only-if-cached",
    "A kept answer, or 504 with the code not-kept. It costs the service nothing."
  ],
  [
    "If-None-Match",
    "W/\"…\"",
    "The ETag of the answer that you have: 304 without a body says that it is still so."
  ],
  ["X-Request-Id", "A-Z a-z 0-9 . _ -", "An id of your own for the request, of up to 64 characters."]
])

export const responseHeadersSection: Html = headerTable("Headers to read", [
  ["X-Request-Id", "", "The request's id: name it when you ask about a request."],
  [
    "Cache-Status",
    "quarry-proxy; hit; ttl=12",
    "What the cache did: hit, with the seconds that it is fresh for, or fwd with the reason why the service was asked. detail=stale marks an old answer that is given while the service fails or is asked."
  ],
  ["Age", "3", "Seconds since the service gave the answer."],
  ["ETag", "W/\"…\"", "Names this answer, for If-None-Match."],
  [
    "RateLimit",
    "\"rate\";r=31;t=1",
    "What is left of your budgets (r), and in how many seconds there is more (t)."
  ],
  ["RateLimit-Policy", "\"rate\";q=50;w=1", "Your budgets: so many units (q) in so many seconds (w)."],
  ["Retry-After", "7", "With 429 and 503: come back in so many seconds."]
])

export const listsSection: Html =
  html`<p>Put <code>/all</code> before the path of a list, and every record comes, page after page, one JSON document a line
(NDJSON), no faster than you read. The last line says how it ended; without such a line it was cut off.</p>
<pre tabindex="0"><code>{"end":{"records":1250}}
{"failure":{"code":"timed-out","message":"…"},"cursor":"…"}</code></pre>
<p>Give the <code>cursor</code> of a failure as the parameter <code>cursor</code>, and the list goes on from there.</p>`
