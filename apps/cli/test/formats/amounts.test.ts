/** Amounts keep every digit from the response to the output. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Arbitrary from "effect/FastCheck"
import { quarry, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const hash = `0x${"ab".repeat(32)}`
const address = `0x${"cd".repeat(20)}`

const listOf = (record: string): string => `{"page":1,"page_size":100,"cursor":null,"result":[${record}]}`

const transfer = (decimals: number) => (value: string): string =>
  listOf(
    `{"transaction_hash":"${hash}","block_number":1,"token_decimals":"${decimals}","token_symbol":"T","value":${value}}`
  )

const wallet = ["wallet", "transfers", address]

const largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

/** Returns the output of a command for a response body. */
const printed = (body: string, format: string): Effect.Effect<string> =>
  Effect.map(
    quarry([...wallet, "-o", format], { env: sandboxEnvironment, client: respondingWith(body).client }),
    (result) => {
      expect([result.code, result.err]).toEqual([0, ""])
      return result.out
    }
  )

it.live.each([256, 200_000, 4_294_967_295, 9_007_199_254_740_991])(
  "prints amounts of a token with %s decimals, which describe nothing, in its smallest unit",
  (decimals) =>
    Effect.gen(function*() {
      const { client } = respondingWith(transfer(decimals)(largest))
      const print = (format: string) => quarry([...wallet, "-o", format], { env: sandboxEnvironment, client })
      expect((yield* print("ndjson")).out).toContain("\"token_decimals\":null")
      expect(yield* print("table")).toMatchObject({
        code: 0,
        out: expect.stringContaining(`${largest} (raw)`),
        err: expect.stringContaining("token_decimals")
      })
    })
)

/** Converts whole tokens back to smallest units. */
const toUnits = (tokens: string, decimals: number): bigint => {
  const [, units = "", fraction = ""] = /^(\d+)(?:\.(\d*[1-9]))?$/.exec(tokens) ?? []
  expect(fraction.length).toBeLessThanOrEqual(decimals)
  return BigInt(units + fraction.padEnd(decimals, "0"))
}

it.live.prop(
  "prints any amount with any number of decimals exactly",
  [
    // Covers all lengths evenly
    Arbitrary.integer({ min: 0, max: 256 }).chain((bits) =>
      Arbitrary.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
    ),
    Arbitrary.integer({ min: 0, max: 80 }),
    // A JSON integer, or a string
    Arbitrary.constantFrom("", "\"")
  ],
  ([amount, decimals, quote]) =>
    Effect.gen(function*() {
      const body = transfer(decimals)(`${quote}${amount}${quote}`)
      expect(yield* printed(body, "ndjson")).toContain(`"value":"${amount}"`)
      const table = yield* printed(body, "table")
      const [, tokens = ""] = /(\S+)  T  /.exec(table) ?? []
      expect(toUnits(tokens, decimals)).toBe(amount)
    })
)
