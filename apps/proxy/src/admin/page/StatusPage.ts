/** Status page at `/` of the admin listener. It refreshes itself while it is visible. */
import type * as HttpResponse from "@blockquarry/server/HttpResponse"
import { type Html, html } from "../../docs/page/Html.ts"
import * as HtmlPage from "../../docs/page/HtmlPage.ts"
import { script } from "./browser/status.ts?inline-script"
import { statusStyle } from "./StatusStyle.ts"

/** `sampleCommands` send a first request. They are shown until the proxy has received one. */
export const render = (sampleCommands: ReadonlyArray<string>): HttpResponse.HttpResponse =>
  HtmlPage.render({
    title: "quarry-proxy",
    body: body(sampleCommands),
    style: statusStyle,
    script
  })

const body = (sampleCommands: ReadonlyArray<string>): Html =>
  html`<a class="skip" href="#main">Skip to content</a>
<header>
<h1>quarry-proxy <span class="muted number" id="version"></span></h1>
<div id="summary"></div>
</header>
<p id="connection" role="status"></p>
<main id="main">
<form id="token-form" class="panel" hidden>
<p>This page requires a token of the configuration (admin.tokens) or, without one, the token in the link that the proxy prints at startup.</p>
<label for="token">Admin token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false">
<button class="main">Show status</button>
</form>
<div id="status" hidden>
<dl id="totals" class="panel" aria-label="Totals since startup"></dl>
<section id="no-requests" class="panel" aria-labelledby="no-requests-title" hidden>
<h2 id="no-requests-title">No requests yet</h2>
${sampleCommands.length === 0 ? null : html`<p>Try:</p><pre>${sampleCommands.join("\n")}</pre>`}
</section>
<section id="charts" aria-label="Last 15 minutes" hidden>
<figure id="throughput" class="panel"></figure>
<figure id="latency" class="panel"></figure>
<figure id="hit-ratio" class="panel"></figure>
<figure id="cost" class="panel"></figure>
</section>
</div>
<noscript><p class="panel">This page needs JavaScript; /status.json has the same data.</p></noscript>
</main>
`
