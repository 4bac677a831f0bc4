/** IP addresses and CIDR ranges, and the IP address of a client behind proxies. */
import { BlockList, isIP } from "node:net"

export type IpRanges = BlockList

/** Creates ranges from IP addresses and CIDR ranges that the configuration has validated. */
export const make = (cidrs: ReadonlyArray<string>): IpRanges => {
  const ranges = new BlockList()
  for (const cidr of cidrs) {
    const [address = "", bits] = cidr.split("/")
    const family = familyOf(address)
    if (bits === undefined) ranges.addAddress(address, family)
    else ranges.addSubnet(address, Number(bits), family)
  }
  return ranges
}

const familyOf = (address: string): "ipv4" | "ipv6" => isIP(address) === 6 ? "ipv6" : "ipv4"

export const isIpAddress = (text: string): boolean => isIP(text) !== 0

export const contains = (ranges: IpRanges, address: string): boolean => {
  const unmappedAddress = unmapIpv4(address)
  return isIpAddress(unmappedAddress) && ranges.check(unmappedAddress, familyOf(unmappedAddress))
}

/** A listener on `::` sees IPv4 clients as `::ffff:10.0.0.1`. */
export const unmapIpv4 = (address: string): string =>
  address.startsWith("::") ? address.replace(/^::ffff:(?=\d{1,3}\.)/i, "") : address

/**
 * Returns what one user of the internet has for itself: an IPv4 address, or the first 64 bits of an IPv6 address, whose
 * other bits each device chooses.
 */
export const networkOf = (address: string): string => {
  const unmapped = unmapIpv4(address)
  if (isIP(unmapped) !== 6) return unmapped
  const [before = [], after = []] = unmapped.split("::").map((part) => part === "" ? [] : part.split(":"))
  // An IPv4 address at the end is two groups.
  const last = after.at(-1)?.includes(".") === true ? 1 : 0
  const zeros = Array.from({ length: 8 - before.length - after.length - last }, () => "0")
  return [...before, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}

/**
 * Returns the IP address of the client: the last address in `X-Forwarded-For` that is not a trusted proxy. The client may
 * have forged the addresses before it.
 */
export const clientAddress = (
  remoteAddress: string,
  forwardedFor: string | undefined,
  trustedProxies: IpRanges
): string => {
  if (forwardedFor === undefined || !contains(trustedProxies, remoteAddress)) return remoteAddress
  const hops = forwardedFor.split(",").map((hop) => withoutPort(hop.trim()))
  return hops.findLast((hop) => !contains(trustedProxies, hop)) ?? hops[0] ?? remoteAddress
}

/** Some proxies append the port of the client. */
const withoutPort = (hop: string): string =>
  /^(\d+(?:\.\d+){3}):\d+$/.exec(hop)?.[1] ?? /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? hop

/** The name in a `Host` header, without brackets and port. */
export const hostName = (host: string): string =>
  (/^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, "")).toLowerCase()
