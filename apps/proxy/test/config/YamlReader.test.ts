/** YAML as the proxy accepts it. */
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as YamlReader from "../../src/config/YamlReader.ts"

const value = (text: string): unknown =>
  Either.getOrThrow(YamlReader.parseYaml(new TextEncoder().encode(text))).value

describe("YAML 1.2", () => {
  it("has only true and false as booleans", () => {
    expect(value("[off, no, yes, on, true, false, 012, 0x10, ~]"))
      .toEqual(["off", "no", "yes", "on", true, false, 12, 16, null])
  })

  it("gives no key a special meaning", () => {
    const read = value("__proto__: {x: 1}\nconstructor: 2\n<<: {y: 1}")
    expect(Object.entries(Object(read))).toEqual([["__proto__", { x: 1 }], ["constructor", 2], ["<<", {
      y: 1
    }]])
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })
})

it("reads a value that it formats on one line", () => {
  const texts = "off|---a|--- a|...|- a|]|true|1|a: b|# no|| x |::1|null|*x".split("|")
  for (const each of [...texts, ["---a"], [], { env: "A" }, ["a, b", "]"], 5, false]) {
    expect(value(`x: ${YamlReader.toInlineYaml(each)}  # more`)).toEqual({ x: each })
  }
})
