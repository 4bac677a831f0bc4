/** Names of addresses. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as AddressBook from "../../src/config/AddressBook.ts"

const treasury = `0x${"ab".repeat(20)}`
const other = `0x${"cd".repeat(20)}`
const book = AddressBook.make(new Map([["treasury", treasury], ["vault", treasury], ["ops", other]]))

describe("a name", () => {
  it("resolves in any case, and other texts stay as they are", () => {
    expect(["Treasury", " TREASURY ", "ops", treasury, "unknown-name"].map(book.resolve)).toEqual([
      treasury,
      treasury,
      other,
      treasury,
      "unknown-name"
    ])
  })

  it("is shown for its address in any case; the first one, if there are several", () => {
    expect(book.aliasOf(treasury.toUpperCase().replace("0X", "0x"))).toBe("treasury")
    expect(book.aliasOf(`0x${"00".repeat(20)}`)).toBeNull()
  })

  it("is suggested for a misspelling, and never for an address", () => {
    expect(book.suggest("tresury")).toBe("treasury")
    expect(book.suggest(treasury)).toBeUndefined()
    expect(book.suggest("unrelated")).toBeUndefined()
  })

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

it("an address has 40 hexadecimal digits after 0x", () => {
  expect(AddressBook.checkAddress(treasury)).toBeNull()
  for (const text of ["", "0x", treasury.slice(2), `${treasury}0`, treasury.replace("a", "g")]) {
    expect(AddressBook.checkAddress(text)).toMatch(/40 hexadecimal digits/)
  }
})
