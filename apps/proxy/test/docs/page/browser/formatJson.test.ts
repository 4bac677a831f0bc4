/** JSON for reading is the same JSON. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { formatJson } from "../../../../src/docs/page/browser/formatJson.ts"

const print = formatJson()

describe("pretty", () => {
  it.prop("is what JSON.stringify would write", [FastCheck.json()], ([text]) => {
    expect(print(text)).toBe(JSON.stringify(JSON.parse(text), null, 2))
    expect(print(print(text))).toBe(print(text))
  })

  it("keeps every digit", () => {
    const digits = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
    expect(print(`{"value":${digits}}`)).toBe(`{\n  "value": ${digits}\n}`)
  })

  it("shows what was cut off as far as it came", () => {
    expect(print("{\"a\":[1,\"b")).toBe("{\n  \"a\": [\n    1,\n    \"b")
  })
})
