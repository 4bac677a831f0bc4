/** Amounts keep every digit from the response to the output. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Arbitrary from "effect/FastCheck"
import { quarry, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const hash = `0x${"ab".repeat(32)}`
const address = `0x${"cd".repeat(20)}`

interface AmountLocation {
  readonly argv: ReadonlyArray<string>
  /** Returns a response that contains the number. */
  readonly responseBody: (number: string) => string
  /** Field of the number in the output. */
  readonly field: string
}

const listOf = (record: string): string => `{"page":1,"page_size":100,"cursor":null,"result":[${record}]}`

const transfer = (decimals: number) => (value: string): string =>
  listOf(
    `{"transaction_hash":"${hash}","block_number":1,"token_decimals":"${decimals}","token_symbol":"T","value":${value}}`
  )

const nft = (fields: string): string => `{"token_address":"${address}","contract_type":"ERC1155",${fields}}`

const wallet = ["wallet", "transfers", address]

/** The amounts and token IDs of commands. The golden records have the other formats. */
const locations: ReadonlyArray<AmountLocation> = [
  { argv: wallet, responseBody: transfer(0), field: "value" },
  { argv: ["token", "transfers", address], responseBody: transfer(0), field: "value" },
  {
    argv: ["token", "owners", address],
    responseBody: (balance) => listOf(`{"owner_address":"${address}","balance":${balance}}`),
    field: "balance"
  },
  {
    argv: ["wallet", "nft-trades", address],
    responseBody: (price) => listOf(`{"transaction_hash":"${hash}","block_number":"1","price":${price}}`),
    field: "price"
  },
  {
    argv: ["nft", "list", address],
    responseBody: (amount) => listOf(nft(`"token_id":"1","amount":${amount}`)),
    field: "amount"
  },
  {
    argv: ["nft", "owners", address, "1"],
    responseBody: (amount) => listOf(nft(`"token_id":"1","amount":${amount}`)),
    field: "amount"
  },
  {
    argv: ["nft", "get", address, "1"],
    responseBody: (price) => nft(`"token_id":"1","last_sale":{"price":${price}}`),
    field: "price"
  },
  {
    argv: ["token", "price", address],
    responseBody: (value) => `{"usdPrice":1.5,"nativePrice":{"value":${value},"decimals":0,"symbol":"N"}}`,
    field: "value"
  },
  {
    argv: ["nft", "list", address],
    responseBody: (id) => listOf(nft(`"token_id":${id}`)),
    field: "token_id"
  },
  {
    argv: ["nft", "owners", address, "1"],
    responseBody: (id) => listOf(nft(`"token_id":${id}`)),
    field: "token_id"
  },
  { argv: ["nft", "get", address, "1"], responseBody: (id) => nft(`"token_id":${id}`), field: "token_id" }
]

const largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

/** Returns the output of a command for a response body. */
const printed = (argv: ReadonlyArray<string>, body: string, format: string): Effect.Effect<string> =>
  Effect.map(
    quarry([...argv, "-o", format], { env: sandboxEnvironment, client: respondingWith(body).client }),
    (result) => {
      expect([result.code, result.err]).toEqual([0, ""])
      return result.out
    }
  )

it.live.each(locations)(
  "prints the $field of $argv exactly",
  ({ argv, field, responseBody }) =>
    Effect.gen(function*() {
      const body = responseBody(largest)
      expect(yield* printed(argv, body, "ndjson")).toContain(`"${field}":"${largest}"`)
      expect(yield* printed(argv, body, "table")).toMatch(new RegExp(`(?<![\\d.])${largest}(?![\\d.])`))
    })
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
      expect(yield* printed(wallet, body, "ndjson")).toContain(`"value":"${amount}"`)
      const table = yield* printed(wallet, body, "table")
      const [, tokens = ""] = /(\S+)  T  /.exec(table) ?? []
      expect(toUnits(tokens, decimals)).toBe(amount)
    })
)
