/** Values in markup are text. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { html } from "../../../src/docs/page/Html.ts"

const read = (markup: string): string =>
  markup.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", "\"").replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

describe("a value", () => {
  it.prop("is text, in elements and in attributes", [FastCheck.string()], ([text]) => {
    const { markup } = html`<p title="${text}">${text}</p>`
    const [, title = "", content = ""] = /^<p title="([^"<>']*)">([^"<>']*)<\/p>$/.exec(markup) ?? []
    expect(read(title)).toBe(text)
    expect(read(content)).toBe(text)
  })

  it("that is markup itself stays so, alone or in a list, and null is nothing", () => {
    expect(html`<ul>${[html`<li>${1}</li>`, html`<li>${"<"}</li>`]}${null}</ul>`.markup)
      .toBe("<ul><li>1</li><li>&lt;</li></ul>")
  })
})
