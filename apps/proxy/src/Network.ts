/** Addresses and networks, as far as they decide who may ask. */
import { BlockList, isIP } from "node:net"

export type Network = BlockList

/** Of addresses and ranges in CIDR notation that were checked when the configuration was read. */
export const make = (ranges: ReadonlyArray<string>): Network => {
  const network = new BlockList()
  for (const range of ranges) {
    const [address = "", bits] = range.split("/")
    const family = familyOf(address)
    if (bits === undefined) network.addAddress(address, family)
    else network.addSubnet(address, Number(bits), family)
  }
  return network
}

const familyOf = (address: string): "ipv4" | "ipv6" => isIP(address) === 6 ? "ipv6" : "ipv4"

export const isAddress = (text: string): boolean => isIP(text) !== 0

export const contains = (network: Network, address: string): boolean => {
  const plain = unmapped(address)
  return isAddress(plain) && network.check(plain, familyOf(plain))
}

/** A listener on `::` sees clients of IPv4 as `::ffff:10.0.0.1`. */
export const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

/**
 * Where a request comes from: the last address in `X-Forwarded-For` that no forwarder of ours has written for itself.
 * What stands before it the client may have invented.
 */
export const origin = (remote: string, forwardedFor: string | undefined, forwarders: Network): string => {
  if (forwardedFor === undefined || !contains(forwarders, remote)) return remote
  const hops = forwardedFor.split(",").map((hop) => withoutPort(hop.trim()))
  return hops.findLast((hop) => !contains(forwarders, hop)) ?? hops[0] ?? remote
}

/** Some forwarders write where a client's connection comes from to the port. */
const withoutPort = (hop: string): string =>
  /^(\d+(?:\.\d+){3}):\d+$/.exec(hop)?.[1] ?? /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? hop

/** The name in a `Host` header, without brackets and port. */
export const hostName = (host: string): string =>
  (/^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, "")).toLowerCase()
