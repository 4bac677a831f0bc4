/** Status page at `/` of the admin listener. It refreshes itself while it is visible. */
import type * as HttpResponse from "@blockquarry/server/HttpResponse"
import { type Html, html } from "../../docs/page/Html.ts"
import * as HtmlPage from "../../docs/page/HtmlPage.ts"
import { script } from "./browser/status.ts?inline-script"
import { statusStyle } from "./StatusStyle.ts"

const body: Html = html`<a class="skip" href="#main">Skip to content</a>
<header>
<h1>quarry-proxy <span class="muted number" id="version"></span></h1>
<div id="summary"></div>
</header>
<p id="connection" role="status"></p>
<main id="main">
<form id="token-form" class="panel" hidden>
<label for="token">Admin token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false">
<button class="main">Show status</button>
</form>
<dl id="totals" class="panel" aria-label="Totals since startup"></dl>
<section id="charts" aria-label="Last 15 minutes" hidden>
<figure id="throughput" class="panel"></figure>
<figure id="latency" class="panel"></figure>
<figure id="hit-ratio" class="panel"></figure>
<figure id="cost" class="panel"></figure>
</section>
<section class="panel" aria-labelledby="failures-title">
<h2 id="failures-title">Recent failures</h2>
<div id="failures"></div>
</section>
<section id="fleet" class="panel" aria-labelledby="processes-title" hidden>
<h2 id="processes-title">Processes</h2>
<div id="processes"></div>
</section>
<section class="panel" aria-labelledby="upstreams-title">
<h2 id="upstreams-title">Upstreams</h2>
<div id="upstreams"></div>
</section>
<section class="panel" aria-labelledby="clients-title">
<h2 id="clients-title">Clients</h2>
<div id="clients"></div>
</section>
<section id="usage" class="panel" aria-labelledby="usage-title" hidden>
<h2 id="usage-title">Saved usage</h2>
<div id="usage-tools" class="tools"></div>
<p id="usage-total"></p>
<div id="usage-table"></div>
</section>
<noscript><p class="panel">This page needs JavaScript; /status.json has the same data.</p></noscript>
</main>
`

export const page: HttpResponse.HttpResponse = HtmlPage.render({
  title: "quarry-proxy",
  body,
  style: statusStyle,
  script
})
