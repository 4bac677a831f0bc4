/** Names and IDs of chains. `site/test/interface.test.ts` compares them with the specification. */
import { Chain, chainId, chainName, evmChains, nftTradeChains, priceChains } from "@blockquarry/core/Chain"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { expectOpenChains, typo } from "./support/chains.ts"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

/** A string in random case. */
const inAnyCase = (text: string): FastCheck.Arbitrary<string> =>
  FastCheck.infiniteStream(FastCheck.boolean()).map((upper) =>
    Array.from(text, (letter) => upper.next().value === true ? letter.toUpperCase() : letter).join("")
  )

it("names and IDs are unique, and every set is a part of evmChains", () => {
  expect(new Set(evmChains.flatMap((name) => [name, chainId(name)])).size).toBe(50)
  expect(evmChains).toEqual(expect.arrayContaining([...nftTradeChains, ...priceChains]))
})

describe("a chain", () => {
  it("that is known is decoded from its name and its ID in any case, and encoded as its ID", () => {
    const forms = FastCheck.constantFrom(...evmChains).chain((name) =>
      FastCheck.tuple(FastCheck.constant(name), FastCheck.oneof(inAnyCase(name), inAnyCase(chainId(name))))
    )
    FastCheck.assert(FastCheck.property(forms, ([name, form]) => {
      expect([decode(Chain, form), chainName(form)]).toEqual([name, name])
      expect(encode(Chain, name)).toBe(chainId(name))
    }))
  })

  it("with any ID or name is sent, except for misspelled names", () =>
    expectOpenChains(async (chain) => isDecodable(Chain, chain) ? [encode(Chain, decode(Chain, chain))] : []))

  it("with a misspelled name is rejected, with the name and the way to send it anyway", () => {
    FastCheck.assert(FastCheck.property(typo, ([name, text]) => {
      const message = `expected a chain name or a hexadecimal chain ID, got ${JSON.stringify(text)}; ` +
        `did you mean ${name}? Otherwise, set the chain to its hexadecimal chain ID`
      expect(decodeIssues(Chain, text)).toBe(message)
    }))
  })

  it.each([
    ["0x01", "eth", "0x1"],
    ["0X000A86A", "avalanche", "0xa86a"],
    ["0x0", "0x0", "0x0"],
    ["0xmine", "0xmine", "0xmine"],
    ["toString", "toString", "toString"]
  ])("%s is decoded to %s, and sent as %s", (text, name, sent) => {
    expect(decode(Chain, text)).toBe(name)
    expect(encode(Chain, decode(Chain, text))).toBe(sent)
  })

  it.each(["1", "mainnet", ""])("%j is not known", (text) => {
    expect(chainName(text)).toBeUndefined()
  })

  it.each(["", "\ud800", 1, null, ["eth"]])("is not %j", (input) => {
    expect(decodeIssues(Chain, input)).toMatch(/^expected a chain name or a hexadecimal chain ID, got [^;]*$/)
  })
})
