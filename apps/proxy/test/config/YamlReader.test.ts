/** YAML as the proxy accepts it. */
import { describe, expect, it } from "@effect/vitest"
import * as YamlReader from "../../src/config/YamlReader.ts"

const read = (text: string) => YamlReader.parseYaml(new TextEncoder().encode(text))

const value = (text: string): unknown => read(text).value

/** All errors of a text. */
const against = (text: string) => read(text).issues

describe("YAML 1.2", () => {
  it("has only true and false as booleans", () => {
    expect(value("[off, no, yes, on, true, false, 012, 0x10, ~]"))
      .toEqual(["off", "no", "yes", "on", true, false, 12, 16, null])
  })

  it("may have aliases", () => {
    expect(value("a: &x [1, 2]\nb: *x")).toEqual({ a: [1, 2], b: [1, 2] })
  })

  it("gives no key a special meaning", () => {
    const read = value("__proto__: {x: 1}\nconstructor: 2\n<<: {y: 1}")
    expect(Object.entries(Object(read))).toEqual([["__proto__", { x: 1 }], ["constructor", 2], ["<<", {
      y: 1
    }]])
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })
})

describe("reports the line of", () => {
  it.each([
    ["a duplicate key", "a: 1\nb: 2\na: 3", 3, "line 1"],
    ["a duplicate key in a section", "x:\n  - {a: 1, a: 2}", 2, "line 2"],
    ["a second document", "a: 1\n---\nb: 2", 2, "one document"],
    ["a tag", "a: 1\nb: !secret x", 2, "tags"],
    ["a tag of YAML 1.1", "a: !!binary aGk=", 1, "tags"],
    ["YAML 1.1", "%YAML 1.1\n---\na: off", 1, "1.2"],
    ["a tab", "a:\n\tb: 1", 2, "spaces"],
    ["an unclosed single quote", "a:\n  b: 'it''s\nc: 1", 2, "unclosed quote"],
    ["an unclosed double quote", `a:\n  b: "x\\"\nc: 1`, 2, "unclosed quote"],
    ["an unclosed quote in brackets", "a:\n  - [1, { b: 'x }]\nc: 1", 2, "unclosed quote"],
    ["an unclosed bracket of a section", "a: 1\nb: { c: 1\nd: { e: 1 }", 2, "{ has no }"],
    ["an unclosed bracket of a list", "a: 1\nb: [\n  1,\nc: []", 2, "[ has no ]"],
    ["an unclosed bracket of the whole document", "\n{ a: 1,", 2, "{ has no }"],
    ["a bracket that another one closes", "a: 1\nb: [1 }", 2, "[ has no ]"],
    ["two keys on one line", "a: b: c", 1, "one line"],
    ["a key that is a list", "? [a]\n: b", 1, "name"],
    ["an alias without anchor", "a: 1\nb: *x", 2, "anchor"],
    ["an alias of itself", "a: &x [*x]", 1, "anchor"],
    ["an invalid escape sequence", `a: "\\q"`, 1, "escape"]
  ])("%s", (_, text, line, word) => {
    const [issue] = against(text)
    expect(issue?.position?.line).toBe(line)
    expect(issue?.message).toContain(word)
  })

  it("every unclosed bracket", () => {
    const issues = against("a:\n  - { b: 1, c: [x\n  - { b: 2 }\n")
    expect(issues.map(({ message, position }) => [position?.line, position?.column, message])).toEqual([
      [2, 5, expect.stringContaining("{")],
      [2, 16, expect.stringContaining("[")]
    ])
  })

  it("aliases that expand to too many values", () => {
    const lines = [
      "a0: &a0 [1]",
      ...Array.from(
        { length: 8 },
        (_, n) => `a${n + 1}: &a${n + 1} [${Array.from({ length: 9 }, () => `*a${n}`).join(", ")}]`
      )
    ]
    expect(against(lines.join("\n"))).toHaveLength(1)
    expect(against(`a: &a 1\nb: [${"*a, ".repeat(101)}]`)[0]?.message).toContain("100 aliases")
  })

  it("too deep nesting", () => {
    expect(against("[".repeat(20_000)).length).toBeGreaterThan(0)
    expect(against(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)[0]?.message).toContain("nested")
  })
})

describe("finds the position of", () => {
  const text = `listen:
  host: here
clients:
  - name: a
    tokens: [x, y]
  - &second
    name: b
again: *second
flow: {a: {b: 1}}
`
  it.each<[ReadonlyArray<string | number>, "name" | "value", number, number]>([
    [["listen", "host"], "value", 2, 9],
    [["listen", "host"], "name", 2, 3],
    [["listen"], "value", 1, 1],
    [["clients", 0, "tokens", 1], "value", 5, 17],
    [["clients", 0, "tokens"], "value", 5, 13],
    [["clients", 1, "name"], "value", 7, 11],
    [["again", "name"], "value", 7, 11],
    [["again"], "value", 8, 8],
    [["flow", "a", "b"], "value", 9, 15],
    // A missing key has the position of its section
    [["clients", 0, "nothing"], "value", 4, 5],
    [["listen", "port"], "value", 1, 1],
    [["clients", 9], "value", 3, 1],
    [["nothing", "at", "all"], "value", 1, 1]
  ])("%j (%s): %d:%d", (path, part, line, column) => {
    expect(read(text).position(path, part)).toEqual({ line, column })
  })
})

it("reads a value that it formats on one line", () => {
  const values = [
    "off",
    "---a",
    "--- a",
    "...",
    "- a",
    ["---a"],
    [],
    "]",
    "true",
    "1",
    "a: b",
    "# no",
    "",
    " x ",
    "::1",
    "100/s",
    "null",
    "*x",
    { env: "A" },
    ["a, b", "]"],
    5,
    false
  ]
  for (const each of values) expect(value(`x: ${YamlReader.toInlineYaml(each)}  # more`)).toEqual({ x: each })
})
