/** Addresses, hashes and IDs that are computed from a name and an index. */
import type { Address } from "@blockquarry/core/Address"
import type { Hash } from "@blockquarry/core/Hash"
import * as Brand from "effect/Brand"
import { hashText, mixBits } from "./Random.ts"

const address = Brand.nominal<Address>()
const hash = Brand.nominal<Hash>()

/** The sender of mints and the recipient of burns. */
export const zeroAddress: Address = address(`0x${"0".repeat(40)}`)

/** A table is several times faster than `toString(16)`, which matters because hashes take most of the time. */
const bytes: ReadonlyArray<string> = Array.from(
  { length: 256 },
  (_, byte) => byte.toString(16).padStart(2, "0")
)

const hex = (word: number): string =>
  `${bytes[word >>> 24]}${bytes[(word >>> 16) & 255]}${bytes[(word >>> 8) & 255]}${bytes[word & 255]}`

/**
 * Returns 64 hexadecimal digits for each index. Each of the eight words is a bijection of 32-bit indexes, so the results
 * for one name are unique.
 */
export const hexDigits = (name: string): (index: number) => string => {
  const keys = Array.from({ length: 8 }, (_, word) => hashText(`${name}/${word}`))
  return (index) => {
    const high = Math.floor(index / 0x1_0000_0000)
    let text = ""
    for (const word of keys) text += hex(mixBits(mixBits(word ^ index) ^ high))
    return text
  }
}

/** Returns an address for each index. */
export const addresses = (name: string): (index: number) => Address => {
  const text = hexDigits(name)
  return (index) => address(`0x${text(index).slice(0, 40)}`)
}

/** Returns a hash for each index. */
export const hashes = (name: string): (index: number) => Hash => {
  const text = hexDigits(name)
  return (index) => hash(`0x${text(index)}`)
}

/** Returns a version 4 UUID for each index. */
export const uuids = (name: string): (index: number) => string => {
  const text = hexDigits(name)
  return (index) => {
    const hex = text(index)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${
      hex.slice(20, 32)
    }`
  }
}
