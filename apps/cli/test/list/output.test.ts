/** What commands print of records: fields, jq results, formats, response bodies, and pages of a pager. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Arbitrary from "effect/FastCheck"
import { exampleValues } from "../../src/help/Help.ts"
import { quarry, records, type RunOptions, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const scale = 60
const sandbox = { scale }
const { busyWallet } = Ledger.make({ seed: 1, scale }).examples
const list = ["wallet", "transfers", busyWallet, "--sandbox"]

const run = (argv: ReadonlyArray<string>, options: RunOptions = {}) =>
  quarry([...list, ...argv], { sandbox, ...options })

const lines = (out: string): ReadonlyArray<string> => out.split("\n").slice(0, -1)

it.live.prop(
  "prints the same for every page size",
  [
    Arbitrary.integer({ min: 1, max: 40 }),
    Arbitrary.constantFrom(
      [],
      ["--fields", "block_number,value,token_symbol"],
      ["--jq", ".value"],
      ["--jq", "select(.possible_spam | not) | {hash: .transaction_hash, value}"],
      ["--jq", "[inputs.value | tonumber] | length, add"],
      ["--jq", "first(inputs), input.block_number"],
      ["--jq", "input_line_number, halt"],
      // Fails at the first record with a label
      ["--jq", ".block_number, (.from_address_label | select(. != null) | error)"],
      ["--fields", "value", "--jq", "reduce inputs.value as $value (0; . + 1)"]
    ),
    Arbitrary.constantFrom([], ["--max-items", "7"], ["--max-items", "33"]),
    Arbitrary.constantFrom("ndjson", "json", "csv")
  ],
  ([limit, transform, maxItems, format]) =>
    Effect.gen(function*() {
      const argv = ["--all", ...transform, ...maxItems, "-o", format]
      const reference = yield* run([...argv, "--limit", "100"])
      const paged = yield* run([...argv, "--limit", String(limit)])
      expect([paged.code, paged.out]).toEqual([reference.code, reference.out])
      expect(reference.err).not.toContain("is a bug")
    })
)

it.live("lists the fields without arguments, and suggests the name of a mistyped one", () =>
  Effect.gen(function*() {
    const help = yield* quarry(["wallet", "transfers", "--fields", "help"])
    expect(help).toMatchObject({ code: 0, err: "" })
    expect(help.out).toMatch(/^value +exact integer, as text$/m)
    expect(help.out).toMatch(/^block_timestamp +time in UTC, ISO 8601$/m)
    const nested = yield* quarry(["token", "price", "--fields", "help"])
    expect(nested.out).toMatch(/^nativePrice\.value +exact integer, as text$/m)
    const mistyped = yield* run(["--fields", "value,blok_number"])
    expect(mistyped).toMatchObject({ code: 2, out: "" })
    expect(mistyped.err).toMatch(/--fields: unknown field "blok_number"\nhint: did you mean block_number\?/)
  }))

it.live("prints jq results as text by default, and as JSON on request", () =>
  Effect.gen(function*() {
    const jq = (expression: string, ...more: ReadonlyArray<string>) =>
      run(["--limit", "2", "--jq", expression, ...more])
    const [first, second] = records((yield* run(["--limit", "2"])).out)
    expect(lines((yield* jq(".transaction_hash")).out)).toEqual([
      first?.["transaction_hash"],
      second?.["transaction_hash"]
    ])
    expect(lines((yield* jq(".transaction_hash", "-o", "ndjson")).out)).toEqual([
      JSON.stringify(first?.["transaction_hash"]),
      JSON.stringify(second?.["transaction_hash"])
    ])
    expect(JSON.parse((yield* jq("{value}", "-o", "json")).out)).toEqual([
      { value: first?.["value"] },
      { value: second?.["value"] }
    ])
    expect((yield* jq("empty", "-o", "json")).out).toBe("[]\n")
    // Names and texts are no calls of `input`
    const named = records((yield* jq("{input: 1, text: \"no inputs\"} | {input, text}", "-o", "ndjson")).out)
    expect(named).toEqual([{ input: 1, text: "no inputs" }, { input: 1, text: "no inputs" }])
    const price = ["token", "price", exampleValues.token, "--sandbox", "--jq", ".tokenSymbol, .tokenDecimals"]
    expect((yield* quarry(price)).out).toBe("QUSD\n6\n")
  }))

it.live("keeps large integers that jq does not change", () =>
  Effect.gen(function*() {
    const largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
    expect((yield* run(["--limit", "1", "--jq", largest])).out).toBe(`${largest}\n`)
  }))

it.live("names the position of an error in a jq expression, before any request", () =>
  Effect.gen(function*() {
    const { client, sent } = respondingWith("{}")
    const invalid = yield* quarry(["wallet", "transfers", busyWallet, "--jq", ".value |\n foo(1)"], {
      env: sandboxEnvironment,
      client
    })
    expect(invalid).toMatchObject({ code: 2, out: "" })
    expect(invalid.err).toContain("--jq: foo/1 is not defined at line 2, column 2")
    expect(sent).toEqual([])
    const failing = yield* run(["--limit", "2", "--jq", ".value.amount"])
    expect(failing.code).toBe(2)
    expect(failing.err).toContain("--jq: Cannot index string with string (\"amount\")")
    const csv = yield* run(["--jq", ".value", "-o", "csv"])
    expect(csv.err).toContain("--jq and -o csv are mutually exclusive")
  }))

it.live("removes control characters from jq text on a terminal only", () =>
  Effect.gen(function*() {
    const expression = ["--limit", "1", "--jq", String.raw`"a\u001b[31mb\tc"`]
    expect((yield* run(expression)).out).toBe("a\u001b[31mb\tc\n")
    expect((yield* run(expression, { terminal: 80 })).out).toBe("a[31mb\tc\n")
  }))

it.live("refuses parquet on stdout, and names --to", () =>
  Effect.gen(function*() {
    for (const argv of [list, ["api"], ["config", "list"]]) {
      expect(yield* quarry([...argv, "--output=parquet"]))
        .toMatchObject({ code: 2, out: "", err: expect.stringContaining("--to FILE.parquet") })
    }
  }))

it.live("closes the JSON array after an expression failed", () =>
  Effect.gen(function*() {
    const program = yield* run(["-o", "json", "--jq", "[inputs] | length, error(\"x\")"])
    expect(program.code).toBe(2)
    expect(JSON.parse(program.out)).toHaveLength(1)
  }))

it.live("exits as --exit-status says, after all results are printed", () =>
  Effect.gen(function*() {
    const test = (expression: string, ...options: ReadonlyArray<string>) =>
      run(["--limit", "3", "--jq", expression, "--exit-status", ...options])
    expect(yield* test(".token_symbol")).toMatchObject({ code: 0 })
    expect(yield* test(".block_number < 0")).toMatchObject({ code: 9, out: "false\nfalse\nfalse\n" })
    expect((yield* test("null")).code).toBe(9)
    expect(yield* test("empty")).toMatchObject({ code: 10, out: "" })
    expect((yield* test("[inputs] | length > 5")).code).toBe(9)
    expect(yield* test("false", "--max-items", "2", "-o", "json")).toMatchObject({
      code: 9,
      out: "[\nfalse,\nfalse\n]\n",
      err: expect.stringContaining("stopped after 2 transfers; continue with")
    })
    const price = ["token", "price", exampleValues.token, "--sandbox"]
    expect((yield* quarry([...price, "--jq", ".usdPrice < 0", "--exit-status"])).code).toBe(9)
    expect(yield* quarry([...price, "--exit-status"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--exit-status requires --jq")
    })
  }))
