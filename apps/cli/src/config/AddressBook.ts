/** The address book: names that commands accept in place of addresses, and tables show beside them. */
import { chainNames } from "../text/CoreNames.build.ts"

export interface AddressBook {
  /** Addresses by name, in the order of the file. Names and addresses are in lower case. */
  readonly addresses: ReadonlyMap<string, string>
  /** Returns the address of a name in any case, or the text itself if it is no name. */
  readonly resolve: (text: string) => string
  /** Returns the name of an address in any case; null if it has none. The first one, if it has several. */
  readonly aliasOf: (address: string) => string | null
}

export const make = (addresses: ReadonlyMap<string, string>): AddressBook => {
  const names = new Map([...addresses].reverse().map(([name, address]) => [address, name]))
  return {
    addresses,
    resolve: (text) => addresses.get(text.trim().toLowerCase()) ?? text,
    aliasOf: (address) => names.get(address.toLowerCase()) ?? null
  }
}

/** Returns why a text cannot name an address; null if it can. It must not look like an address, a hash or a chain. */
export const checkName = (name: string): string | null => {
  if (!/^[a-z][a-z0-9_-]{0,31}$/i.test(name)) {
    return `expected a letter and up to 31 letters, digits, - and _, got ${JSON.stringify(name)}`
  }
  if (Object.hasOwn(chainNames, name.toLowerCase())) return `${JSON.stringify(name)} is the name of a chain`
  return /^[0-9a-f]{16,}$/i.test(name) ? `${JSON.stringify(name)} looks like an address` : null
}

export const checkAddress = (text: string): string | null =>
  /^0x[0-9a-f]{40}$/i.test(text)
    ? null
    : `expected 0x and 40 hexadecimal digits, got ${JSON.stringify(text.slice(0, 80))}`
