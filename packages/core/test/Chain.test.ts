/** Names and IDs of chains. `golden/records/chains.json` has those of the specification. */
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

const sets = [
  { set: "evmChains", names: evmChains, Chain: EvmChain },
  { set: "nftTradeChains", names: nftTradeChains, Chain: NftTradeChain },
  { set: "priceChains", names: priceChains, Chain: PriceChain }
] as const

/** A string in random case. */
const inAnyCase = (text: string): FastCheck.Arbitrary<string> =>
  FastCheck.infiniteStream(FastCheck.boolean()).map((upper) =>
    Array.from(text, (letter) => upper.next().value === true ? letter.toUpperCase() : letter).join("")
  )

describe.each(sets)("a chain of $set", ({ Chain, names }) => {
  it("is decoded from its name and its ID in any case, and encoded as its ID", () => {
    const forms = FastCheck.constantFrom(...names).chain((name) =>
      FastCheck.tuple(FastCheck.constant(name), FastCheck.oneof(inAnyCase(name), inAnyCase(chainId(name))))
    )
    FastCheck.assert(FastCheck.property(forms, ([name, form]) => {
      expect([decode(Chain, form), chainName(form)]).toEqual([name, name])
      expect(encode(EvmChain, name)).toBe(chainId(name))
    }))
  })

  it("is no other chain, by name or by ID, and the message lists the valid ones", () => {
    const others = evmChains.filter((name) => !names.some((known) => known === name))
    const message = `expected one of ${names.join(", ")} (or its hexadecimal chain ID), got `
    for (
      const text of [...others, ...others.map(chainId), "goerli", "0x5", "", "0x", "0x01", "eth ", "toString"]
    ) {
      expect(decodeIssues(Chain, text)).toBe(`${message}${JSON.stringify(text)}`)
    }
    for (const input of [null, 1, true, ["eth"], {}]) expect(isDecodable(Chain, input)).toBe(false)
  })
})

it("names and IDs are unique, and every set is a part of evmChains", () => {
  expect(new Set(evmChains.flatMap((name) => [name, chainId(name)])).size).toBe(50)
  expect(evmChains).toEqual(expect.arrayContaining([...nftTradeChains, ...priceChains]))
})

describe("a chain of an operation without a known set", () => {
  it.each([
    ["eth", "eth", "0x1"],
    ["Polygon Amoy", "polygon amoy", "0x13882"],
    ["0X01", "eth", "0x1"],
    ["0x000A86A", "avalanche", "0xa86a"],
    ["0x8F", "0x8f", "0x8f"],
    ["0x0", "0x0", "0x0"],
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
