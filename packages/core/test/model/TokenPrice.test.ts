import { maxUint256 } from "@blockquarry/core/Amount"
import * as Decoder from "@blockquarry/core/Decoder"
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { decode, encode, isDecodable } from "../support/schema.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const minimal = { usdPrice: 1.25 }

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
    "decodes fields that are %s to null",
    (_, rest) => {
      expect(decode(TokenPrice, { ...minimal, ...rest })).toStrictEqual({ ...minimal, ...all(null) })
    }
  )

  it.each([undefined, null, "", "n/a", NaN])("requires a price, not %j", (usdPrice) => {
    expect(isDecodable(TokenPrice, { usdPrice })).toBe(false)
  })

  it.each([
    ["1e-21", 1e-21],
    ["0.000000000000000000001", 1e-21],
    ["0", 0],
    ["25000", 25000],
    ["\"7.115\"", 7.115],
    ["100000000000000000000000", 1e23]
  ])("of %s is decoded from a response body", (text, usdPrice) => {
    const document = Either.getOrThrow(LosslessJson.parse(`{"usdPrice":${text}}`))
    expect(decode(TokenPrice, document).usdPrice).toBe(usdPrice)
  })

  it("decodes a response of an older API version with four fields", () => {
    const response = {
      nativePrice: { value: "8409770570506626", decimals: 18, name: "Ether", symbol: "ETH" },
      usdPrice: 19.722370676,
      exchangeAddress: address.toUpperCase(),
      exchangeName: "Stone Swap v2"
    }
    expect(decode(TokenPrice, response)).toStrictEqual({
      ...all(null),
      ...response,
      nativePrice: { ...response.nativePrice, value: 8409770570506626n, address: null },
      exchangeAddress: address
    })
  })

  it.each([
    ["false", false],
    ["true", true],
    [false, false],
    [true, true],
    [0, false]
  ])("decodes possibleSpam from %j", (possibleSpam, value) => {
    expect(decode(TokenPrice, { ...minimal, possibleSpam }).possibleSpam).toBe(value)
  })

  it("decodes price change and liquidity exactly", () => {
    const exact = {
      "24hrPercentChange": "-0.8842730258590583",
      pairTotalLiquidityUsd: "123456789012345678.123456789"
    }
    expect(encode(TokenPrice, decode(TokenPrice, { ...minimal, ...exact }))).toMatchObject(exact)
    expect(encode(TokenPrice, decode(TokenPrice, { ...minimal, "24hrPercentChange": 1.5 }))).toMatchObject({
      "24hrPercentChange": "1.5"
    })
  })

  it.each([
    ["a fractional value", { value: "12.5", decimals: 18 }, { value: null, decimals: 18 }],
    ["a negative value", { value: "-1", symbol: "ETH" }, { value: null, symbol: "ETH" }],
    ["decimals that are no integer", { value: "1", decimals: "many" }, { value: 1n, decimals: null }],
    ["a name that is no string", { name: { en: "Ether" } }, { name: null }]
  ])("reads a native price with %s", (_, nativePrice, expected) => {
    expect(decode(TokenPrice, { ...minimal, nativePrice }).nativePrice).toMatchObject(expected)
  })

  it.each(["0.0084", 5, true, []])("reads the native price %j as null", (nativePrice) => {
    expect(decode(TokenPrice, { ...minimal, nativePrice })).toStrictEqual({ ...minimal, ...all(null) })
  })

  it("is decoded with any native price, also by the compiled decoder", () => {
    const decodeCompiled = Decoder.make(TokenPrice)
    FastCheck.assert(FastCheck.property(FastCheck.jsonValue(), (nativePrice) => {
      const document = { ...minimal, nativePrice }
      expect(Either.getOrThrow(decodeCompiled(document))).toStrictEqual(decode(TokenPrice, document))
    }))
  })

  it("reads token decimals of 256 bits as null, and rejects those that are no integer", () => {
    const tokenDecimals = String(maxUint256)
    expect(decode(TokenPrice, { ...minimal, tokenDecimals })).toStrictEqual({ ...minimal, ...all(null) })
    expect(Either.isRight(Decoder.make(TokenPrice)({ ...minimal, tokenDecimals }))).toBe(true)
    expect(isDecodable(TokenPrice, { ...minimal, tokenDecimals: "many" })).toBe(false)
  })

  it("ignores unknown fields", () => {
    const more = {
      priceLastChangedAtBlock: "19366000",
      blockTimestamp: "1709618828000",
      securityScore: 92,
      usdPrice24hr: 1.2,
      usdPrice24hrUsdChange: -0.05,
      usdPrice24hrPercentChange: -4
    }
    expect(decode(TokenPrice, { ...minimal, ...more })).toStrictEqual({ ...minimal, ...all(null) })
  })
})
