/** No digit of an amount is lost on the way from the service to the screen. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Arbitrary from "effect/FastCheck"
import { quarry, sandboxEnvironment } from "./support/quarry.ts"
import { respondingWith } from "./support/stubClient.ts"

const hash = `0x${"ab".repeat(32)}`
const address = `0x${"cd".repeat(20)}`

/** How a service may write an amount. */
type AmountFormat = (digits: string) => string

const amountFormats: ReadonlyArray<readonly [name: string, spelling: AmountFormat]> = [
  ["a JSON integer", (digits) => digits],
  ["a JSON string", (digits) => `"${digits}"`]
]

interface AmountLocation {
  readonly argv: ReadonlyArray<string>
  /** The service's answer with the number in it. */
  readonly responseBody: (number: string) => string
  /** The member that holds it in the output. */
  readonly member: string
}

const listOf = (record: string): string => `{"page":1,"page_size":100,"cursor":null,"result":[${record}]}`

const transfer = (decimals: number) => (value: string): string =>
  listOf(
    `{"transaction_hash":"${hash}","block_number":1,"token_decimals":"${decimals}","token_symbol":"T","value":${value}}`
  )

const nft = (members: string): string => `{"token_address":"${address}","contract_type":"ERC1155",${members}}`

const wallet = ["wallet", "transfers", address]

const amounts: ReadonlyArray<AmountLocation> = [
  { argv: wallet, responseBody: transfer(0), member: "value" },
  { argv: ["token", "transfers", address], responseBody: transfer(0), member: "value" },
  {
    argv: ["token", "owners", address],
    responseBody: (balance) => listOf(`{"owner_address":"${address}","balance":${balance}}`),
    member: "balance"
  },
  {
    argv: ["wallet", "nft-trades", address],
    responseBody: (price) => listOf(`{"transaction_hash":"${hash}","block_number":"1","price":${price}}`),
    member: "price"
  },
  {
    argv: ["nft", "list", address],
    responseBody: (amount) => listOf(nft(`"token_id":"1","amount":${amount}`)),
    member: "amount"
  },
  {
    argv: ["nft", "owners", address, "1"],
    responseBody: (amount) => listOf(nft(`"token_id":"1","amount":${amount}`)),
    member: "amount"
  },
  {
    argv: ["nft", "get", address, "1"],
    responseBody: (price) => nft(`"token_id":"1","last_sale":{"price":${price}}`),
    member: "price"
  },
  {
    argv: ["token", "price", address],
    responseBody: (value) => `{"usdPrice":1.5,"nativePrice":{"value":${value},"decimals":0,"symbol":"N"}}`,
    member: "value"
  }
]

const tokenIds: ReadonlyArray<AmountLocation> = [
  {
    argv: ["nft", "list", address],
    responseBody: (id) => listOf(nft(`"token_id":${id}`)),
    member: "token_id"
  },
  {
    argv: ["nft", "owners", address, "1"],
    responseBody: (id) => listOf(nft(`"token_id":${id}`)),
    member: "token_id"
  },
  { argv: ["nft", "get", address, "1"], responseBody: (id) => nft(`"token_id":${id}`), member: "token_id" }
]

const largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

const numbers = ["9007199254740991", "9007199254740992", "9007199254740993", largest]

/** Not a multiple of anything, and no digit repeats its neighbour. */
const id77 = "12345678901234567890123456789012345678901234567890123456789012345678901234567"

/** What a command prints of an answer. */
const printed = (argv: ReadonlyArray<string>, answer: string, format: string): Effect.Effect<string> =>
  Effect.map(
    quarry([...argv, "-o", format], { env: sandboxEnvironment, client: respondingWith(answer).client }),
    (result) => {
      expect([result.code, result.err]).toEqual([0, ""])
      return result.out
    }
  )

/** Whether a number stands in a text as it is, and not as a part of another. */
const whole = (number: string): RegExp => new RegExp(`(?<![\\d.])${number.replace(".", "\\.")}(?![\\d.])`)

const show = (
  { responseBody: answer, argv, member }: AmountLocation,
  number: string,
  spelling: AmountFormat
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const body = answer(spelling(number))
    expect(yield* printed(argv, body, "json")).toContain(`"${member}": "${number}"`)
    expect(yield* printed(argv, body, "ndjson")).toContain(`"${member}":"${number}"`)
    expect(yield* printed(argv, body, "table")).toMatch(whole(number))
  })

for (const [name, spelling] of amountFormats) {
  describe(`written as ${name}`, () => {
    for (const place of amounts) {
      it.live(`the ${place.member} of ${place.argv.slice(0, 2).join(" ")}`, () =>
        Effect.forEach(numbers, (number) => show(place, number, spelling)))
    }

    for (const place of tokenIds) {
      it.live(`the token id of ${place.argv.slice(0, 2).join(" ")}`, () =>
        Effect.forEach([id77, largest], (number) => show(place, number, spelling)))
    }

    it.live("in whole tokens", () =>
      Effect.gen(function*() {
        const cases: ReadonlyArray<readonly [digits: string, decimals: number, tokens: string]> = [
          [largest, 18, "115792089237316195423570985008687907853269984665640564039457.584007913129639935"],
          [largest, 77, "1.15792089237316195423570985008687907853269984665640564039457584007913129639935"],
          ["9007199254740993", 6, "9007199254.740993"],
          ["9007199254740993", 16, "0.9007199254740993"],
          ["9007199254740991", 18, "0.009007199254740991"],
          ["9007199254740990", 1, "900719925474099"],
          ["1", 18, "0.000000000000000001"],
          ["0", 18, "0"]
        ]
        for (const [digits, decimals, tokens] of cases) {
          expect(yield* printed(wallet, transfer(decimals)(spelling(digits)), "table")).toMatch(whole(tokens))
        }
      }))
  })
}

it.live("the token ids of a trade", () =>
  Effect.gen(function*() {
    const answer = listOf(
      `{"transaction_hash":"${hash}","block_number":1,"token_ids":["${id77}",${largest},${id77}]}`
    )
    const argv = ["wallet", "nft-trades", address]
    expect(yield* printed(argv, answer, "ndjson")).toContain(`"token_ids":["${id77}","${largest}","${id77}"]`)
    expect(yield* printed(argv, answer, "table")).toContain(`${id77}, ${largest}, ${id77}`)
  }))

/** Digits and a point, back in units: what the table says is all of the amount and nothing else. */
const inUnits = (tokens: string, decimals: number): bigint => {
  const [, units = "", fraction = ""] = /^(\d+)(?:\.(\d*[1-9]))?$/.exec(tokens) ?? []
  expect(fraction.length).toBeLessThanOrEqual(decimals)
  return BigInt(units + fraction.padEnd(decimals, "0"))
}

it.live.prop(
  "any amount, with any decimals",
  [
    // Of every length, not only of the longest
    Arbitrary.integer({ min: 0, max: 256 }).chain((bits) =>
      Arbitrary.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
    ),
    Arbitrary.integer({ min: 0, max: 80 }),
    Arbitrary.constantFrom(...amountFormats)
  ],
  ([amount, decimals, [, spelling]]) =>
    Effect.gen(function*() {
      const body = transfer(decimals)(spelling(String(amount)))
      expect(yield* printed(wallet, body, "ndjson")).toContain(`"value":"${amount}"`)
      const table = yield* printed(wallet, body, "table")
      const [, tokens = ""] = /(\S+)  T  /.exec(table) ?? []
      expect(inUnits(tokens, decimals)).toBe(amount)
    }),
  { fastCheck: { numRuns: 20 } }
)
