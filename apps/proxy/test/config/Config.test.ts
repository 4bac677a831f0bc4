/** Properties of the configuration. */
import { expect, it } from "@effect/vitest"
import { allowsAnonymousClients, defaults, isLoopback } from "../../src/config/Config.ts"

it.each(["localhost", "LocalHost", "127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1"])(
  "isLoopback accepts %s",
  (host) => expect(isLoopback(host)).toBe(true)
)

it.each([
  "0.0.0.0",
  "::",
  "10.0.0.1",
  "128.0.0.1",
  "example.com",
  "127.example.com",
  "127.1",
  "localhost.example.com",
  ""
])(
  "isLoopback rejects %j",
  (host) => expect(isLoopback(host)).toBe(false)
)

it("is anonymous without clients", () => {
  expect(allowsAnonymousClients(defaults)).toBe(true)
  const client = {
    name: "a",
    tokens: [],
    scopes: ["read"],
    allowedCidrs: [],
    rateLimit: null,
    dailyQuota: null,
    weight: 1,
    cors: { origins: [] }
  }
  expect(allowsAnonymousClients({ clients: [client] })).toBe(false)
})
