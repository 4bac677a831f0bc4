import * as LosslessJson from "@blockquarry/core/LosslessJson"
import { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { decode, encode, isDecodable } from "../support/schema.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const least = { usdPrice: 1.25 }

const optional = [
  "tokenName",
  "tokenSymbol",
  "tokenLogo",
  "tokenDecimals",
  "nativePrice",
  "usdPriceFormatted",
  "24hrPercentChange",
  "exchangeAddress",
  "exchangeName",
  "tokenAddress",
  "toBlock",
  "possibleSpam",
  "verifiedContract",
  "pairAddress",
  "pairTotalLiquidityUsd"
]

const all = (value: unknown) => Object.fromEntries(optional.map((name) => [name, value]))

describe("a price", () => {
  it.each([["absent", {}], ["undefined", all(undefined)], ["null", all(null)]])(
    "has null for everything that is %s",
    (_, rest) => {
      expect(decode(TokenPrice, { ...least, ...rest })).toStrictEqual({ ...least, ...all(null) })
    }
  )

  it.each([undefined, null, "", "n/a", NaN])("needs a price, not %j", (usdPrice) => {
    expect(isDecodable(TokenPrice, { usdPrice })).toBe(false)
  })

  it.each([
    ["1e-21", 1e-21],
    ["0.000000000000000000001", 1e-21],
    ["0", 0],
    ["25000", 25000],
    ["\"7.115\"", 7.115],
    ["100000000000000000000000", 1e23]
  ])("of %s is read from the text of an answer", (text, usdPrice) => {
    const document = Either.getOrThrow(LosslessJson.parse(`{"usdPrice":${text}}`))
    expect(decode(TokenPrice, document).usdPrice).toBe(usdPrice)
  })

  it("reads an old answer, which holds four members", () => {
    const old = {
      nativePrice: { value: "8409770570506626", decimals: 18, name: "Ether", symbol: "ETH" },
      usdPrice: 19.722370676,
      exchangeAddress: address.toUpperCase(),
      exchangeName: "Stone Swap v2"
    }
    expect(decode(TokenPrice, old)).toStrictEqual({
      ...all(null),
      ...old,
      nativePrice: { ...old.nativePrice, value: 8409770570506626n, address: null },
      exchangeAddress: address
    })
  })

  it.each([
    ["false", false],
    ["true", true],
    [false, false],
    [true, true],
    [0, false]
  ])("reads whether it is spam from %j", (possibleSpam, value) => {
    expect(decode(TokenPrice, { ...least, possibleSpam }).possibleSpam).toBe(value)
  })

  it("keeps change and liquidity exactly", () => {
    const exact = {
      "24hrPercentChange": "-0.8842730258590583",
      pairTotalLiquidityUsd: "123456789012345678.123456789"
    }
    expect(encode(TokenPrice, decode(TokenPrice, { ...least, ...exact }))).toMatchObject(exact)
    expect(encode(TokenPrice, decode(TokenPrice, { ...least, "24hrPercentChange": 1.5 }))).toMatchObject({
      "24hrPercentChange": "1.5"
    })
  })

  it("ignores members that newer services send", () => {
    const more = {
      priceLastChangedAtBlock: "19366000",
      blockTimestamp: "1709618828000",
      securityScore: 92,
      usdPrice24hr: 1.2,
      usdPrice24hrUsdChange: -0.05,
      usdPrice24hrPercentChange: -4
    }
    expect(decode(TokenPrice, { ...least, ...more })).toStrictEqual({ ...least, ...all(null) })
  })
})
