/** `elementTexts` finds the elements of an array without parsing them. */
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { document } from "../support/JsonDocuments.ts"

describe("elementTexts", () => {
  it.prop("returns the text of every element, in order", {
    elements: FastCheck.array(document, { maxLength: 5 }),
    before: document,
    after: document
  }, ({ after, before, elements }) => {
    const text = `{"before":${before},"list":[${elements.join(",")}],"after":${after}}`
    expect(LosslessJson.elementTexts(text, "list")).toEqual(elements.map((element) => element.trim()))
  })

  it.prop("returns what JSON.parse finds, with any white space", {
    elements: FastCheck.array(FastCheck.jsonValue({ maxDepth: 4 })),
    indent: FastCheck.constantFrom("", " ", "\t", "  ")
  }, ({ elements, indent }) => {
    const text = JSON.stringify({ cursor: null, list: elements, list2: [1] }, null, indent)
    const found = LosslessJson.elementTexts(text, "list")
    expect(found.map((element): unknown => JSON.parse(element))).toEqual(JSON.parse(text).list)
  })

  it("uses the last of several members with the name, however it is escaped", () => {
    expect(LosslessJson.elementTexts("{\"list\":[1],\"\\u006cist\":[2,3]}", "list")).toEqual(["2", "3"])
    expect(LosslessJson.elementTexts("{\"list\":[1],\"list\":null}", "list")).toEqual([])
  })

  it("returns nothing if the document has no such array", () => {
    const texts = ["null", "3", "{}", "[1]", "[\"list\",[1]]", "{\"a\":[1]}", "{\"a\":\"list\"}"]
    for (const text of [...texts, "{\"a\":{\"list\":[1]}}", "{\"list\":{\"a\":1}}", "{\"list\":[]}"]) {
      expect(LosslessJson.elementTexts(text, "list"), text).toEqual([])
    }
  })
})
