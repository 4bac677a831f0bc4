/** Rules that involve several keys. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { baseUrlAndKey, diagnosticsOf, load } from "./support.ts"

const hash = (digit: string) => `sha256:${digit.repeat(64)}`

const client = (name: string, ...digits: ReadonlyArray<string>) =>
  `{ name: ${name}, tokens: [${digits.map(hash).join(", ")}] }`

describe("rejects", () => {
  it.effect.each<[string, string, string]>([
    [
      "a repeated token hash in another case",
      `clients: [${client("a", "a")}, ${client("b", "A")}]`,
      "clients[1].tokens[0]"
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
      const lines = yield* diagnosticsOf({ text })
      expect(lines).toEqual([expect.stringContaining(word)])
      expect(lines[0]).not.toContain(hash("a"))
    }))
})

it.effect("accepts the same port on two addresses, and that of a disabled listener", () =>
  Effect.gen(function*() {
    for (
      const text of [
        "listen: { port: 0 }\nadmin: { port: 0 }",
        "listen: { port: 80 }\nadmin: { host: 127.0.0.2, port: 80 }",
        "listen: { port: 8651 }\nadmin: off"
      ]
    ) expect((yield* load({ text, env: baseUrlAndKey })).warnings).toEqual([])
  }))

describe("warns about", () => {
  it.effect.each<[string, string, ReadonlyArray<string>]>([
    [
      "durations that a shorter one overrides",
      "upstream: { timeouts: { attempt: 30s }, retry: { baseDelay: 20s }, circuitBreaker: { openDuration: 2m } }",
      [
        "upstream.timeouts.attempt: longer than call (22s), which takes precedence",
        "upstream.retry.baseDelay: longer than maxDelay (10s)",
        "upstream.circuitBreaker.openDuration: longer than maxOpenDuration (1m)"
      ]
    ],
    [
      "daily quotas that one request exceeds",
      `costs: { tokenPrice: 7 }
clients:
  - { name: a, tokens: [${hash("a")}], scopes: [tokenPrice], dailyQuota: 6 }
  - { name: b, tokens: [${hash("b")}], scopes: [tokenPrice], dailyQuota: 7 }
  - { name: c, tokens: [${hash("c")}], scopes: [write], dailyQuota: 6 }
upstream:
  baseUrls: { data: https://a }
  keys:
    - { name: k, secret: { env: A }, upstreams: [data], dailyQuota: 5 }`,
      [
        "clients[0].dailyQuota: less than one request costs, so these operations always exceed it: tokenPrice (7)",
        "upstream.keys[0].dailyQuota: less than one request costs, so these operations always exceed it: tokenPrice (7)"
      ]
    ]
  ])("%s", ([, text, words]) =>
    Effect.gen(function*() {
      const { warnings } = yield* load({ text, env: { ...baseUrlAndKey, A: "key-of-the-service" } })
      for (const word of words) expect(warnings).toContainEqual(expect.stringContaining(word))
    }))
})

describe("with other errors", () => {
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

  it.effect("runs the rules for clients despite an unknown key in one of them", () =>
    Effect.gen(function*() {
      const text = `clients: [${client("a", "a").replace("{", "{ scope: 1,")}, ${client("a", "b")}]`
      expect(yield* diagnosticsOf({ text })).toHaveLength(2)
    }))
})
