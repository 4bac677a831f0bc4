/** Names of addresses. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as AddressBook from "../../src/config/AddressBook.ts"

describe("a name", () => {
  it("begins with a letter, and is no chain", () => {
    const names = ["treasury", "Treasury", "a", "cold-wallet_2", "x".repeat(32), "deadbeef"]
    expect(names.map(AddressBook.checkName)).toEqual(names.map(() => null))
    for (const text of ["", "-", "-x", "0xabc", "7eleven", "two words", "a,b", "x".repeat(33)]) {
      expect(AddressBook.checkName(text)).toMatch(/letter/)
    }
    for (const text of ["eth", "ETH", "polygon-amoy"]) expect(AddressBook.checkName(text)).toMatch(/chain/)
  })

  it("never looks like an address or a hash, with or without 0x", () => {
    FastCheck.assert(FastCheck.property(
      FastCheck.stringMatching(/^(0x)?[0-9a-fA-F]{16,64}$/),
      (text) => AddressBook.checkName(text) !== null
    ))
  })
})
