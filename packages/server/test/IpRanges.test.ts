/** IP ranges and the client address. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import * as IpRanges from "../src/IpRanges.ts"

const trustedProxies = IpRanges.make(["10.0.0.0/8", "fd00::/8", "192.0.2.7"])

describe("IP ranges", () => {
  it("contain single addresses and CIDR ranges of IPv4 and IPv6", () => {
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1", "192.0.2.7"]) {
      expect([address, IpRanges.contains(trustedProxies, address)]).toEqual([address, true])
    }
    for (const address of ["11.0.0.1", "192.0.2.8", "fe80::1", "", "10.1.2", "evil", "10.0.0.1, 10.0.0.2"]) {
      expect([address, IpRanges.contains(trustedProxies, address)]).toEqual([address, false])
    }
  })
})

describe("the network of an address", () => {
  it("is an IPv4 address, or the first 64 bits of an IPv6 address, however it is written", () => {
    expect(["192.0.2.7", "::ffff:192.0.2.7", "not an address"].map(IpRanges.networkOf))
      .toEqual(["192.0.2.7", "192.0.2.7", "not an address"])
    expect(["::1:2:3:4:5", "::", "2001:DB8::", "2001:0db8:0:0:1:2:192.0.2.7"].map(IpRanges.networkOf))
      .toEqual(["0:0:0:1", "0:0:0:0", "2001:db8:0:0", "2001:db8:0:0"])
    fc.assert(fc.property(
      fc.array(fc.constantFrom(0, 1, 0xdb8, 0xffff), { minLength: 8, maxLength: 8 }),
      (groups) => {
        const address = groups.map((group) => group.toString(16))
        // The URL parser shortens an address.
        const short = new URL(`http://[${address.join(":")}]`).hostname.slice(1, -1)
        expect(IpRanges.networkOf(short)).toBe(address.slice(0, 4).join(":"))
      }
    ))
  })
})
