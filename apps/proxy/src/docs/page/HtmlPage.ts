/** Self-contained HTML pages: style and script are inline, and a content security policy blocks everything else. */
import * as HttpResponse from "@blockquarry/server/HttpResponse"
import { createHash } from "node:crypto"
import { type Html, html } from "./Html.ts"
import { sharedStyle } from "./SharedStyle.ts"

export interface HtmlPage {
  readonly title: string
  readonly body: Html
  /** In addition to the shared style. */
  readonly style: string
  /** Default: none. */
  readonly script?: string
}

const cspHash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const contentSecurityPolicy = (script: string | undefined, style: string): string =>
  [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${cspHash(script)}`]),
    `style-src ${cspHash(style)}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // Untrusted text cannot become markup, even through a bug in the script
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")

const trustedMarkup = (markup: string): Html => ({ markup })

export const render = ({ body, script, title, ...page }: HtmlPage): HttpResponse.HttpResponse => {
  const style = sharedStyle + page.style
  return HttpResponse.text(
    200,
    "text/html; charset=utf-8",
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${trustedMarkup(style)}</style>
</head>
<body>
${body}
${script === undefined ? null : html`<script>${trustedMarkup(script)}</script>`}
</body>
</html>
`.markup,
    {
      "content-security-policy": contentSecurityPolicy(script, style),
      "cache-control": "no-cache",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff"
    }
  )
}
