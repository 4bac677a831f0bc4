/** Files that the command line writes can be read as inputs, with any token name. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { memory, temporaryFolder } from "../support/exports.ts"
import { quarry, type RunOptions, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const fixture = new URL("../../../../packages/core/test/fixtures/walletTransfers.json", import.meta.url)
const { result: [transfer] } = JSON.parse(readFileSync(fixture, "utf8"))

const run = (argv: ReadonlyArray<string>, response: string, options: RunOptions = {}) => {
  const { client, sent } = respondingWith(response)
  const env = { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" }
  return Effect.map(quarry(argv, { client, env, ...options }), (ran) => ({ ...ran, sent }))
}

const hostile = FastCheck.oneof(
  FastCheck.constantFrom(
    "Good; Coin",
    "Tab\tCoin",
    "Skeleton, \"7\"",
    "{\"address\":\"0x12\"}",
    "# none",
    "null\0byte",
    "line\u2028\u2029\u0085\r\nbreaks\r",
    "\ud800",
    "'quoted'",
    "=1+1",
    "x".repeat(70_000),
    ""
  ),
  FastCheck.string({ unit: "binary" })
)

const formats = ["csv", "ndjson"].flatMap((format) => [
  { format, place: "a file", options: [] },
  { format, place: "a file", options: ["--fields", "token_name,address,token_symbol"] },
  { format, place: "stdout", options: ["--escape-formulas"] }
])

it.live.each(formats)(
  "$format in $place $options asks for the same tokens",
  ({ format, options, place }) =>
    Effect.promise(() => {
      const folder = temporaryFolder(memory)
      return FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(FastCheck.tuple(hostile, hostile), { minLength: 1, maxLength: 6 }),
          async (names) => {
            const records = names.map(([token_name, token_symbol], index) => ({
              ...transfer,
              token_name,
              token_symbol,
              to_address_label: token_name,
              address: `0x${String(index + 1).padStart(40, "0")}`,
              log_index: index,
              value: "1"
            }))
            const file = join(folder, `transfers.${format}`)
            const output = place === "stdout" ? ["-o", format] : ["--to", file, "--overwrite"]
            const written = await Effect.runPromise(
              run(
                ["wallet", "transfers", transfer.from_address, ...options, ...output],
                JSON.stringify({ cursor: null, result: records })
              )
            )
            expect(written).toMatchObject({ code: 0 })
            const read = await Effect.runPromise(
              run(
                ["token", "price", "--from-column", "address", "--from", place === "stdout" ? "-" : file],
                "{}",
                { stdin: written.out }
              )
            )
            expect(read.err).not.toContain("cannot read")
            expect(read.sent.map(({ url }) => /0x\d{40}/.exec(url)?.[0])).toEqual(
              records.map(({ address }) => address)
            )
          }
        ),
        { numRuns: isFull ? 30 : 5 }
      )
    })
)
