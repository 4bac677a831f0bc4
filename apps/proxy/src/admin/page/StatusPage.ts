/** The status page, at `/` of the operations' address: what the proxy is doing, kept up to date while one looks. */
import { type Html, html } from "../../docs/page/Html.ts"
import * as HtmlPage from "../../docs/page/HtmlPage.ts"
import { sharedStyle } from "../../docs/page/SharedStyle.ts"
import type * as ProxyResponse from "../../exchange/ProxyResponse.ts"
import { script } from "./browser/status.ts?inline-script"
import { statusStyle } from "./StatusStyle.ts"

export interface StatusPageOptions {
  /** Lines for a terminal that make a first request, for a proxy that nobody asked anything yet. */
  readonly sampleCommands: ReadonlyArray<string>
}

export const render = ({ sampleCommands }: StatusPageOptions): ProxyResponse.ProxyResponse =>
  HtmlPage.render({
    title: "quarry-proxy",
    body: body(sampleCommands),
    style: sharedStyle + statusStyle,
    script
  })

const table = (id: string, label: string, columns: ReadonlyArray<string>): Html =>
  html`<table id="${id}-table" role="table" aria-label="${label}" hidden>
<thead role="rowgroup"><tr role="row">${
    columns.map((column) => html`<th role="columnheader" scope="col">${column}</th>`)
  }</tr></thead>
<tbody id="${id}" role="rowgroup"></tbody>
</table>`

const body = (sampleCommands: ReadonlyArray<string>): Html =>
  html`<a class="skip" href="#main">Skip to the figures</a>
<header>
<h1>quarry-proxy <span class="muted number" id="version"></span></h1>
<div id="summary"></div>
</header>
<p id="connection" role="status"></p>
<main id="main">
<form id="token-form"><div id="token-panel" class="panel" hidden>
<label for="token">Token of the operations' address</label>
<input id="token" type="password" autocomplete="off" spellcheck="false">
<button class="main">Show the status</button>
</div></form>
<dl id="totals" class="panel" aria-label="Totals since the start"></dl>
<section id="quiet" class="panel" aria-labelledby="quiet-title" hidden>
<h2 id="quiet-title">No requests yet</h2>
${sampleCommands.length === 0 ? null : html`<p>Try:</p><pre>${sampleCommands.join("\n")}</pre>`}
</section>
<section id="charts" aria-label="The last quarter of an hour" hidden>
<figure id="throughput" class="panel"></figure>
<figure id="latency" class="panel"></figure>
<figure id="hit-rate" class="panel"></figure>
<figure id="units" class="panel"></figure>
</section>
<section class="panel" aria-labelledby="upstream-title">
<h2 id="upstream-title">The service</h2>
<ul id="upstream"></ul>
</section>
<section class="panel" aria-labelledby="clients-title">
<h2 id="clients-title">Clients</h2>
<p id="no-clients" class="muted" hidden>Nobody has asked yet.</p>
${
    table("clients", "Clients", [
      "Client",
      "Last seen",
      "Requests",
      "Kept",
      "Refused",
      "Failures",
      "Spent",
      "Saved",
      "Budgets: what is left"
    ])
  }
</section>
<section class="panel" aria-labelledby="failures-title">
<h2 id="failures-title">Recent failures</h2>
<p id="no-failures" class="muted" hidden>None.</p>
${table("failures", "Recent failures", ["When", "Status", "Code", "Client", "Asked for", "Request"])}
</section>
<noscript><p class="panel">This page draws itself in the browser; /status.json has the same figures.</p></noscript>
</main>
`
