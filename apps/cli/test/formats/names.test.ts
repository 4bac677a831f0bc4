/** Names that third parties choose, in JSON that every reader accepts. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { memory, temporaryFolder } from "../support/exports.ts"
import { quarry, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

/** The line breaks of `str.splitlines` of Python, and halves of surrogate pairs, which DuckDB and pyarrow refuse. */
const refused = new RegExp(String.raw`[\v\f\r\u001c-\u001e\u0085\u2028\u2029]|(?<!\\)(?:\\\\)*\\ud[89a-f]`)

const parts = FastCheck.constantFrom(
  "\ud800",
  "\udc00",
  "\u2028",
  "\u2029",
  "\u0085",
  "\\",
  "\\ud800",
  "\"",
  "\r\n",
  "😀",
  "a"
)
const name = FastCheck.array(parts, { minLength: 1, maxLength: 8 }).map((all) => all.join(""))

const hash = `0x${"ab".repeat(32)}`
const [wallet, other] = [`0x${"12".repeat(20)}`, `0x${"34".repeat(20)}`]

it.live.each([
  { options: ["-o", "ndjson"], isList: true },
  { options: ["-o", "json"], isList: true },
  { options: ["--jq", "{token_name}"], isList: true },
  { options: ["--to"], isList: true },
  { options: ["-o", "json"], isList: false }
])(
  "printed with $options is well-formed, and each record stays on its line",
  ({ isList, options }) =>
    Effect.promise(() => {
      const file = join(temporaryFolder(memory), "names.ndjson")
      return FastCheck.assert(
        FastCheck.asyncProperty(FastCheck.array(name, { minLength: 1, maxLength: 4 }), async (names) => {
          const result = names.map((token_name, log_index) => ({
            token_name,
            transaction_hash: hash,
            log_index,
            address: other,
            block_timestamp: "2024-03-05T06:07:08.900Z",
            block_number: 1,
            block_hash: hash,
            from_address: wallet,
            to_address: other,
            value: "1"
          }))
          const [record = ""] = names
          const document = isList ? { cursor: null, result } : { [record]: record }
          const argv = isList
            ? [
              "wallet",
              "transfers",
              wallet,
              ...options,
              ...options.includes("--to") ? [file, "--overwrite"] : []
            ]
            : ["api", "/names", "-o", "json"]
          const { code, out } = await Effect.runPromise(
            quarry(argv, { client: respondingWith(JSON.stringify(document)).client, env: sandboxEnvironment })
          )
          const written = options.includes("--to") ? readFileSync(file, "utf8") : out
          expect([code, refused.exec(written)]).toEqual([0, null])
          if (!isList) {
            expect(JSON.parse(written)).toEqual({ [record.toWellFormed()]: record.toWellFormed() })
            return
          }
          const records: ReadonlyArray<{ readonly token_name: string }> = options.includes("json")
            ? JSON.parse(written)
            : written.trimEnd().split("\n").map((line) => JSON.parse(line))
          expect(records.map(({ token_name }) => token_name)).toEqual(
            names.map((name) => name.toWellFormed())
          )
        }),
        { numRuns: isFull ? 50 : 10 }
      )
    })
)
