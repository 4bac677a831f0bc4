/** Indented JSON text stays the same document. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { formatJson } from "../../../../src/docs/page/browser/formatJson.ts"

describe("formatJson", () => {
  it.prop("indents like JSON.stringify", [FastCheck.json()], ([text]) => {
    expect(formatJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2))
    expect(formatJson(formatJson(text))).toBe(formatJson(text))
  })

  it("formats truncated text as far as it goes", () => {
    expect(formatJson("{\"a\":[1,\"b")).toBe("{\n  \"a\": [\n    1,\n    \"b")
  })
})
