/** Names that third parties choose: JSON that every reader accepts, and files that can be read as inputs. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { memory, temporaryFolder } from "../support/exports.ts"
import { quarry, type RunOptions, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

/** The line breaks of `str.splitlines` of Python, and halves of surrogate pairs, which DuckDB and pyarrow refuse. */
const refused = new RegExp(
  [
    String.raw`[\v\f\r\u001c-\u001e\u0085\u2028\u2029]`,
    String.raw`(?<!\\)(?:\\\\)*(?:\\ud[89ab]..(?!\\ud[c-f])|(?<!\\ud[89ab]..)\\ud[c-f])`
  ].join("|")
)

const parts = ["\ud800", "\udc00", "\u2028", "\u2029", "\u0085", "\\", "\\ud800", "\"", "\r\n", "😀", "a"]

const name = FastCheck.oneof(
  FastCheck.array(FastCheck.constantFrom(...parts), { minLength: 1, maxLength: 8 }).map((all) =>
    all.join("")
  ),
  FastCheck.constantFrom(
    "Good; Coin",
    "Tab\tCoin",
    "Skeleton, \"7\"",
    "{\"address\":\"0x12\"}",
    "# none",
    "null\0byte",
    "'quoted'",
    "=1+1",
    "x".repeat(70_000),
    ""
  ),
  FastCheck.string({ unit: "binary" })
)

const fixture = new URL("../../../../packages/core/test/fixtures/walletTransfers.json", import.meta.url)
const { result: [transfer] } = JSON.parse(readFileSync(fixture, "utf8"))

const run = async (argv: ReadonlyArray<string>, response: object, options: RunOptions = {}) => {
  const { client, sent } = respondingWith(JSON.stringify(response))
  const env = { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" }
  return { ...await Effect.runPromise(quarry(argv, { client, env, ...options })), sent }
}

const numRuns = isFull ? 40 : 6

const columns = "token_name,address,token_symbol"

it.each<
  readonly [place: "file" | "stdout", format: "csv" | "json" | "ndjson", options: ReadonlyArray<string>]
>([
  ["file", "csv", []],
  ["file", "csv", ["--fields", columns]],
  ["stdout", "csv", ["--escape-formulas"]],
  ["file", "ndjson", []],
  ["stdout", "ndjson", ["--fields", columns]],
  ["stdout", "ndjson", ["--jq", "{token_name, address}"]],
  ["stdout", "json", []]
])(
  "in a %s of %s with %j are well-formed, each record on its line, and are read back",
  (place, format, options) => {
    const file = join(temporaryFolder(memory), `transfers.${format}`)
    const argv = ["wallet", "transfers", transfer.from_address, ...options]
    return FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.array(FastCheck.tuple(name, name), { minLength: 1, maxLength: 6 }),
        async (names) => {
          const result = names.map(([token_name, token_symbol], index) => ({
            ...transfer,
            token_name,
            token_symbol,
            to_address_label: token_name,
            address: `0x${String(index + 1).padStart(40, "0")}`,
            log_index: index,
            value: "1"
          }))
          const output = place === "stdout" ? ["-o", format] : ["--to", file, "--overwrite"]
          const written = await run([...argv, ...output], { cursor: null, result })
          expect(written).toMatchObject({ code: 0 })
          const text = place === "stdout" ? written.out : readFileSync(file, "utf8")
          if (format !== "csv") {
            expect(refused.exec(text)).toBeNull()
            const records = format === "json"
              ? JSON.parse(text)
              : text.trimEnd().split("\n").map((line) => JSON.parse(line))
            expect(records.map((record: typeof transfer) => record.token_name)).toEqual(
              names.map(([name]) => name === "" ? null : name.toWellFormed())
            )
          }
          if (format === "json") return
          const from = ["--from-column", "address", "--from", place === "stdout" ? "-" : file]
          const read = await run(["token", "price", ...from], {}, { stdin: written.out })
          expect(read.err).not.toContain("cannot read")
          expect(read.sent.map(({ url }) => /0x\d{40}/.exec(url)?.[0])).toEqual(
            result.map(({ address }) => address)
          )
        }
      ),
      { numRuns }
    )
  }
)

it("are well-formed as members of a document that no operation describes", () =>
  FastCheck.assert(
    FastCheck.asyncProperty(name, async (member) => {
      const { code, out } = await run(["api", "/names", "-o", "json"], { [member]: member })
      expect([code, refused.exec(out)]).toEqual([0, null])
      expect(JSON.parse(out)).toEqual({ [member.toWellFormed()]: member.toWellFormed() })
    }),
    { numRuns }
  ))
