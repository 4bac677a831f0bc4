/** Rules that involve several keys. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { baseUrlAndKey, diagnosticsOf, load, type LoadInput } from "./support.ts"

const hash = (digit: string) => `sha256:${digit.repeat(64)}`

const client = (name: string, ...digits: ReadonlyArray<string>) =>
  `{ name: ${name}, tokens: [${digits.map(hash).join(", ")}] }`

describe("rejects", () => {
  it.effect.each<[string, string, string | undefined]>([
    ["a public listener without clients", "listen: { host: 0.0.0.0 }", "allowAnonymous: true"],
    ["a host name without clients", "listen: { host: proxy.internal }", "quarry-proxy token"],
    ["allowAnonymous with clients", `allowAnonymous: true\nclients: [${client("a", "a")}]`, "allowAnonymous"],
    ["a repeated client name", `clients: [${client("a", "a")}, ${client("a", "b")}]`, "clients[1].name"],
    [
      "a token of two clients",
      `clients: [${client("a", "a")}, ${client("b", "c", "a")}]`,
      "clients[1].tokens[1]"
    ],
    [
      "a repeated token hash in another case",
      `clients: [${client("a", "a")}, ${client("b", "A")}]`,
      "clients[1].tokens[0]"
    ],
    [
      "a repeated key name",
      "upstream: { keys: [{ name: k, secret: { env: A } }, { name: k, secret: { env: A } }] }",
      "upstream.keys[1].name"
    ],
    ["the same port for both listeners", "listen: { port: 8651 }", "admin.port"],
    [
      "the same port on a wildcard address",
      "admin: { host: 127.0.0.2, port: 80 }\nlisten: { host: '::', port: 80 }\nallowAnonymous: true",
      "port 80"
    ],
    [
      "less memory for a client than one response needs",
      `clients: [${client("a", "a")}]\nlimits: { maxBufferedBytes: 63MiB }`,
      "limits.maxBufferedBytes"
    ],
    [
      "less memory than one response needs, without clients",
      "limits: { maxBufferedBytes: 10MB }",
      "limits.maxBufferedBytes: one client may use 10 MB of memory"
    ]
  ])("%s", ([, text, word]) =>
    Effect.gen(function*() {
      const lines = yield* diagnosticsOf({ text, env: { A: "key-of-the-service" } })
      expect(lines).toEqual([expect.stringContaining(word ?? "")])
      expect(lines[0]).not.toContain(hash("a"))
    }))
})

describe("accepts", () => {
  it.effect.each<[string, string]>([
    ["a loopback listener without clients", "listen: { host: 127.0.0.1 }"],
    ["a public listener with allowAnonymous", "listen: { host: 0.0.0.0 }\nallowAnonymous: true"],
    ["a loopback listener with allowAnonymous", "allowAnonymous: true"],
    [
      "a public listener with clients",
      `listen: { host: '::' }\nclients: [${client("a", "a", "b")}, ${client("b", "c")}]`
    ],
    ["a free port for both listeners", "listen: { port: 0 }\nadmin: { port: 0 }"],
    ["one port on two addresses", "listen: { port: 80 }\nadmin: { host: 127.0.0.2, port: 80 }"],
    ["the port of a disabled admin listener", "listen: { port: 8651 }\nadmin: off"]
  ])(
    "%s",
    ([, text]) =>
      Effect.map(load({ text, env: baseUrlAndKey }), ({ warnings }) => expect(warnings).toEqual([]))
  )
})

describe("accepts with a warning", () => {
  const key = (upstreams: string) => `keys: [{ name: k, secret: { env: A }, upstreams: ${upstreams} }]`

  it.effect.each<[string, LoadInput, ReadonlyArray<string>]>([
    ["a public admin listener that is open", {
      text: "admin: { host: 0.0.0.0, open: all }",
      env: baseUrlAndKey
    }, ["/status.json, /usage and /purge require no token"]],
    [
      "durations that a shorter one overrides",
      {
        text:
          "upstream: { timeouts: { attempt: 30s }, retry: { baseDelay: 20s }, circuitBreaker: { openDuration: 2m } }",
        env: baseUrlAndKey
      },
      [
        "upstream.timeouts.attempt: longer than call (22s), which takes precedence",
        "upstream.retry.baseDelay: longer than maxDelay (10s)",
        "upstream.circuitBreaker.openDuration: longer than maxOpenDuration (1m)"
      ]
    ],
    [
      "daily quotas that one request exceeds",
      {
        text: `costs: { tokenPrice: 7 }
clients:
  - { name: a, tokens: [${hash("a")}], scopes: [tokenPrice], dailyQuota: 6 }
  - { name: b, tokens: [${hash("b")}], scopes: [tokenPrice], dailyQuota: 7 }
  - { name: c, tokens: [${hash("c")}], scopes: [write], dailyQuota: 6 }
upstream:
  baseUrls: { data: https://a }
  keys:
    - { name: k, secret: { env: A }, upstreams: [data], dailyQuota: 5 }`
      },
      [
        "clients[0].dailyQuota: less than one request costs, so these operations always exceed it: tokenPrice (7)",
        "upstream.keys[0].dailyQuota: less than one request costs, so these operations always exceed it: tokenPrice (7)"
      ]
    ],
    ["a client without tokens", { text: "clients: [{ name: a, tokens: [] }]", env: baseUrlAndKey }, [
      "client a has no token"
    ]],
    [
      "base URLs in sandbox mode",
      {
        env: {
          QUARRY_SANDBOX: "1",
          QUARRY_BASE_URL: "https://example.com",
          QUARRY_API_KEY: "key-of-the-service"
        }
      },
      ["QUARRY_SANDBOX: the base URLs are not used"]
    ],
    ["neither a file nor variables", {}, ["upstream.baseUrls: no base URL is set"]],
    [
      "a key without any base URL",
      { text: "upstream: { baseUrls: }", env: { QUARRY_API_KEY: "key-of-the-service" } },
      ["1:23: upstream.baseUrls: no base URL is set"]
    ],
    [
      "a key for an upstream without base URL",
      { text: `upstream: { baseUrls: { data: https://a }, ${key("[data, streams]")} }` },
      ["upstream.keys[0].upstreams[1]: key k is for streams, which has no base URL"]
    ],
    [
      "base URLs without any key",
      { text: "upstream: { baseUrls: { data: https://a, ledger: https://b } }" },
      ["upstream.keys: no API key is configured, so requests for data, ledger fail; set QUARRY_API_KEY"]
    ],
    [
      "a base URL of a variable without any key",
      { env: { QUARRY_BASE_URL: "https://a" } },
      ["upstream.keys: no API key is configured, so requests for data fail; set QUARRY_API_KEY"]
    ],
    [
      "a base URL without a key",
      { text: `upstream: { baseUrls: { data: https://a, ledger: https://b }, ${key("[data]")} }` },
      ["upstream.baseUrls.ledger: no key is configured for this upstream"]
    ]
  ])("%s", ([, value, words]) =>
    Effect.gen(function*() {
      const { warnings } = yield* load({ ...value, env: { A: "key-of-the-service", ...value.env } })
      expect(warnings).toEqual(words.map((word) => expect.stringContaining(word)))
    }))
})

describe("with other errors", () => {
  it.effect("skips rules that read an invalid key", () =>
    Effect.gen(function*() {
      const count = (text: string, env = {}) =>
        Effect.map(diagnosticsOf({ text, env }), (lines) => lines.length)
      expect(yield* count("listen: { host: 0.0.0.0 }\nclients: [{ name: a }]")).toBe(1)
      expect(yield* count("listen: { host: 0.0.0.0 }\nallowAnonymous: maybe")).toBe(1)
      expect(yield* count("listen: { host: 0.0.0.0 }", { QUARRY_PROXY_ALLOW_ANONYMOUS: "maybe" })).toBe(1)
      expect(yield* count("listen: { host: 0.0.0.0, port: x }")).toBe(2)
    }))

  it.effect.each<[string, string, ReadonlyArray<string>]>([
    [
      "another key of a client",
      `clients: [${client("a", "a").replace("{", "{ weight: none,")}, ${client("a", "b")}]`,
      ["clients[0].weight", "clients[1].name: same as clients[0].name"]
    ],
    [
      "another limit",
      "limits: { maxBufferedBytes: 10MB, sendTimeout: soon }",
      ["limits.maxBufferedBytes: one client", "limits.sendTimeout"]
    ],
    [
      "another key of the admin listener",
      "admin: { port: 8650, tokens: [x] }",
      ["admin.port: port 8650 is already used", "admin.tokens[0]"]
    ],
    [
      "another key of an API key",
      "upstream: { keys: [{ name: k, secret: { env: A } }, { name: k, secret: { env: A }, dailyQuota: x }] }",
      ["upstream.keys[1].name: same as", "upstream.keys[1].dailyQuota"]
    ]
  ])("runs the rules that do not read %s", ([, text, words]) =>
    Effect.gen(function*() {
      const lines = yield* diagnosticsOf({ text, env: { A: "key-of-the-service" } })
      expect(lines).toEqual(words.map((word) => expect.stringContaining(word)))
    }))

  it.effect("warns too", () =>
    Effect.gen(function*() {
      const text = "upstream: { timeouts: { attempt: 10s, call: 5s }, retry: { attempts: x } }"
      const error = yield* Effect.flip(load({ text }))
      expect(error.diagnostics).toHaveLength(1)
      expect(error.warnings).toEqual([
        expect.stringContaining("upstream.timeouts.attempt: longer than call"),
        expect.stringContaining("no base URL is set")
      ])
    }))

  it.effect("runs all rules despite an unknown variable", () =>
    Effect.gen(function*() {
      const env = { QUARRY_PROXY_PROT: "1" }
      expect(yield* diagnosticsOf({ text: "listen: { host: 0.0.0.0 }", env })).toHaveLength(2)
    }))

  it.effect("runs the rules for clients despite an unknown key in one of them", () =>
    Effect.gen(function*() {
      const text = `clients: [${client("a", "a").replace("{", "{ scope: 1,")}, ${client("a", "b")}]`
      expect(yield* diagnosticsOf({ text })).toHaveLength(2)
    }))
})
