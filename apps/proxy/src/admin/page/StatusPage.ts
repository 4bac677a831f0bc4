/**
 * Status page at `/` of the admin listener. It refreshes itself while it is visible. It is self-contained: style and script are
 * inline, and a content security policy blocks everything else.
 */
import * as HttpResponse from "@blockquarry/server/HttpResponse"
import { createHash } from "node:crypto"
import { script } from "./browser/status.ts?inline-script"
import { statusStyle } from "./StatusStyle.ts"

/** `sampleCommands` send a first request. They are shown until the proxy has received one. */
export const render = (sampleCommands: ReadonlyArray<string>): HttpResponse.HttpResponse =>
  HttpResponse.text(200, "text/html; charset=utf-8", page(sampleCommands), {
    "content-security-policy": contentSecurityPolicy,
    "cache-control": "no-cache",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff"
  })

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(statusStyle)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // Untrusted text cannot become markup, even through a bug in the script
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

const escapeText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const page = (sampleCommands: ReadonlyArray<string>): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>quarry-proxy</title>
<link rel="icon" href="data:,">
<style>${statusStyle}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
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
${sampleCommands.length === 0 ? "" : `<p>Try:</p><pre>${escapeText(sampleCommands.join("\n"))}</pre>`}
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
<script>${script}</script>
</body>
</html>
`
