/** Values in HTML templates are escaped. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { html } from "../../../src/docs/page/Html.ts"

const unescape = (markup: string): string =>
  markup.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", "\"").replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

describe("html", () => {
  it.prop("escapes values in elements and in attributes", [FastCheck.string()], ([text]) => {
    const { markup } = html`<p title="${text}">${text}</p>`
    const [, title = "", content = ""] = /^<p title="([^"<>']*)">([^"<>']*)<\/p>$/.exec(markup) ?? []
    expect(unescape(title)).toBe(text)
    expect(unescape(content)).toBe(text)
  })
})
