/** Both pages are self-contained, and their content security policy allows nothing else. */
import type { HttpResponse } from "@blockquarry/server/HttpResponse"
import { describe, expect, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import * as StatusPage from "../../../src/admin/page/StatusPage.ts"
import { defaults } from "../../../src/config/Config.ts"
import * as DocsPage from "../../../src/docs/page/DocsPage.ts"
import * as CostTable from "../../../src/quota/CostTable.ts"

const pages: ReadonlyArray<readonly [name: string, reply: HttpResponse]> = [
  [
    "the API reference",
    DocsPage.render({
      passthrough: defaults.passthrough,
      examples: undefined,
      costs: CostTable.make(defaults)
    })
  ],
  ["the status page", StatusPage.render(["curl 'http://127.0.0.1:8650/'"])]
]

const textOf = ({ body }: HttpResponse): string =>
  body instanceof Uint8Array ? new TextDecoder().decode(body) : ""

const between = (text: string, start: string, end: string): string =>
  text.slice(text.indexOf(start) + start.length, text.lastIndexOf(end))

describe.each(pages)("%s", (_, reply) => {
  const text = textOf(reply)
  const policy = reply.headers["content-security-policy"] ?? ""
  const hash = (part: string) => `'sha256-${createHash("sha256").update(part).digest("base64")}'`

  it("allows its own script and style by their hashes", () => {
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`script-src ${hash(between(text, "<script>", "</script>"))};`)
    expect(policy).toContain(`style-src ${hash(between(text, "<style>", "</style>"))};`)
    expect(policy).not.toContain("unsafe")
    // Text cannot become markup
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
  })

  it("has one script and one style, and loads no other resource", () => {
    expect(text.match(/<script/g)).toHaveLength(1)
    expect(text.match(/<\/script/g)).toHaveLength(1)
    expect(text.match(/<style/g)).toHaveLength(1)
    expect(text.match(/<\/style/g)).toHaveLength(1)
    expect(text).not.toMatch(/<(img|iframe|object|embed|base)\b|@import|url\(| style="| on\w+="/)
    expect(
      [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, to]) => to).filter((to) =>
        !/^(#|\/|data:)/.test(to ?? "")
      )
    )
      .toEqual([])
  })

  it("forbids framing and content type sniffing", () => {
    expect(policy).toContain("frame-ancestors 'none'")
    expect(reply.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer"
    })
  })
})
