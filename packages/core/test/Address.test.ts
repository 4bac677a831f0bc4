import { Address, checksum, make } from "@blockquarry/core/Address"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import { decode, encode } from "./support/schema.ts"

const addresses = Arbitrary.make(Address)

/** Converts digits to upper or lower case according to the bits of `mask`. */
const recase = (text: string, mask: bigint): string =>
  Array.from(text, (digit, index) => (mask >> BigInt(index)) & 1n ? digit.toUpperCase() : digit).join("")

/** The test vectors of EIP-55. */
const vectors = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
]

describe("Address", () => {
  it("decodes any case to the same value", () => {
    FastCheck.assert(
      FastCheck.property(addresses, FastCheck.bigInt({ min: 0n, max: 2n ** 42n - 1n }), (address, mask) => {
        expect(decode(Address, recase(address, mask))).toBe(address)
        expect(encode(Address, address)).toBe(address)
      })
    )
  })
})

describe("make", () => {
  it("creates an address in lower case, whose type begins with 0x", () => {
    const address = make("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
    expect(address).toBe("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
    expectTypeOf(address).toExtend<`0x${string}`>()
    expectTypeOf<`0x${string}`>().not.toExtend<Address>()
  })
})

describe("checksum", () => {
  it.each(vectors)("matches the EIP-55 test vector %s", (expected) => {
    expect(checksum(decode(Address, expected))).toBe(expected)
  })

  it("changes only the case", () => {
    FastCheck.assert(
      FastCheck.property(addresses, (address) => {
        expect(decode(Address, checksum(address))).toBe(address)
      })
    )
  })
})
