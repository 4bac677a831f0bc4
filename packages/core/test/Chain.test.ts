import {
  chainId,
  chainName,
  EvmChain,
  evmChains,
  NftTradeChain,
  nftTradeChains,
  OpenChain,
  PriceChain,
  priceChains
} from "@blockquarry/core/Chain"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

/** The sets of chains as listed in the specification. */
const specifiedChains = {
  A: [
    ["eth", "0x1"],
    ["sepolia", "0xaa36a7"],
    ["holesky", "0x4268"],
    ["polygon", "0x89"],
    ["polygon amoy", "0x13882"],
    ["bsc", "0x38"],
    ["bsc testnet", "0x61"],
    ["avalanche", "0xa86a"],
    ["fantom", "0xfa"],
    ["palm", "0x2a15c308d"],
    ["cronos", "0x19"],
    ["arbitrum", "0xa4b1"],
    ["gnosis", "0x64"],
    ["gnosis testnet", "0x27d8"],
    ["chiliz", "0x15b38"],
    ["chiliz testnet", "0x15b32"],
    ["base", "0x2105"],
    ["base sepolia", "0x14a34"],
    ["optimism", "0xa"],
    ["optimism sepolia", "0xaa37dc"],
    ["linea", "0xe708"],
    ["linea sepolia", "0xe705"],
    ["moonbeam", "0x504"],
    ["moonriver", "0x505"],
    ["moonbase", "0x507"]
  ],
  B: [
    ["eth", "0x1"],
    ["polygon", "0x89"],
    ["bsc", "0x38"],
    ["avalanche", "0xa86a"],
    ["arbitrum", "0xa4b1"],
    ["base", "0x2105"],
    ["optimism", "0xa"]
  ],
  C: [
    ["eth", "0x1"],
    ["polygon", "0x89"],
    ["bsc", "0x38"],
    ["avalanche", "0xa86a"],
    ["fantom", "0xfa"],
    ["palm", "0x2a15c308d"],
    ["cronos", "0x19"],
    ["arbitrum", "0xa4b1"],
    ["gnosis", "0x64"],
    ["chiliz", "0x15b38"],
    ["base", "0x2105"],
    ["optimism", "0xa"],
    ["linea", "0xe708"],
    ["moonbeam", "0x504"],
    ["moonriver", "0x505"],
    ["moonbase", "0x507"]
  ]
} as const

const chainSets = [
  { letter: "A", size: 25, set: evmChains, Chain: EvmChain, listed: specifiedChains.A },
  { letter: "B", size: 7, set: nftTradeChains, Chain: NftTradeChain, listed: specifiedChains.B },
  { letter: "C", size: 16, set: priceChains, Chain: PriceChain, listed: specifiedChains.C }
] as const

/** A string in random case. */
const inAnyCase = (text: string): FastCheck.Arbitrary<string> =>
  FastCheck.array(FastCheck.boolean(), { minLength: text.length, maxLength: text.length }).map((upper) =>
    Array.from(text, (letter, index) => upper[index] === true ? letter.toUpperCase() : letter).join("")
  )

describe.each(chainSets)("set $letter of the specification", ({ Chain, listed, set, size }) => {
  it(`has the ${size} chains of the specification, in the same order`, () => {
    expect(listed).toHaveLength(size)
    expect(set.map((name) => [name, chainId(name)])).toEqual(listed)
  })

  it.each(listed)("decodes %s and %s to the same chain and encodes its ID", (name, id) => {
    expect(decode(Chain, name)).toBe(name)
    expect(decode(Chain, id)).toBe(name)
    expect(chainId(name)).toBe(id)
  })

  it("rejects every other chain, by name and by ID, and lists the valid ones", () => {
    const names: ReadonlyArray<string> = set
    const message = `expected one of ${names.join(", ")} (or its hexadecimal chain ID), got `
    for (const [name, id] of [...specifiedChains.A, ["goerli", "0x5"], ["", "0x"], ["ethereum", "1"]]) {
      if (name !== undefined && names.includes(name)) continue
      expect(decodeIssues(Chain, name)).toBe(`${message}${JSON.stringify(name)}`)
      expect(decodeIssues(Chain, id)).toBe(`${message}${JSON.stringify(id)}`)
    }
  })

  it.each([null, 1, true, ["eth"], {}, "__proto__", "constructor", "toString", "0x01", "eth ", "ethmainnet"])(
    "rejects %j",
    (input) => {
      expect(isDecodable(Chain, input)).toBe(false)
    }
  )
})

describe("names and IDs", () => {
  it("identify the same chains, in any case", () => {
    const pairs = FastCheck.constantFrom(...specifiedChains.A)
    FastCheck.assert(
      FastCheck.property(
        pairs.chain(([name, id]) =>
          FastCheck.tuple(FastCheck.constant(name), inAnyCase(name), inAnyCase(id))
        ),
        ([name, anyName, anyId]) => {
          expect(chainName(anyName)).toBe(name)
          expect(chainName(anyId)).toBe(name)
          expect(chainName(chainId(name))).toBe(name)
          expect(decode(EvmChain, anyName)).toBe(decode(EvmChain, anyId))
        }
      )
    )
  })

  it("are unique", () => {
    expect(new Set(evmChains).size).toBe(25)
    expect(new Set(evmChains.map((name) => chainId(name))).size).toBe(25)
  })

  it("support names with a space", () => {
    expect(decode(EvmChain, "polygon amoy")).toBe("polygon amoy")
    expect(decode(EvmChain, "Polygon Amoy")).toBe("polygon amoy")
    expect(encode(EvmChain, "polygon amoy")).toBe("0x13882")
  })

  it("include all NFT trade chains and price chains in evmChains", () => {
    expect(evmChains).toEqual(expect.arrayContaining([...nftTradeChains, ...priceChains]))
  })
})

describe("a chain of an operation without a known set", () => {
  it.each([
    ["eth", "eth", "0x1"],
    ["Polygon Amoy", "polygon amoy", "0x13882"],
    ["0X01", "eth", "0x1"],
    ["0x000A86A", "avalanche", "0xa86a"],
    ["0x8F", "0x8f", "0x8f"],
    ["0x0", "0x0", "0x0"],
    ["monad", "monad", "monad"],
    ["Some Chain", "Some Chain", "Some Chain"],
    ["0xmine", "0xmine", "0xmine"]
  ])("decodes %s to %s, and sends %s", (text, name, sent) => {
    expect(decode(OpenChain, text)).toBe(name)
    expect(encode(OpenChain, decode(OpenChain, text))).toBe(sent)
  })

  it.each(["", "\ud800", 1, null])("rejects %j", (input) => {
    expect(decodeIssues(OpenChain, input)).toContain("expected a chain name or a hexadecimal chain ID, got ")
  })
})
