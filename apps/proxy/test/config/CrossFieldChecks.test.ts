/** Rules that involve several keys. The records of `golden-config` show the others. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { baseUrlAndKey, diagnosticsOf, load } from "./support.ts"

const hash = (digit: string) => `sha256:${digit.repeat(64)}`

const client = (digit: string, more = "") => `{ ${more} name: a, tokens: ["${hash(digit)}"] }`

const key = (more = "") => `{ name: k, secret: { env: A }${more} }`

it.effect.each<[string, string, ReadonlyArray<string>]>([
  [
    "less memory for a client than one response needs",
    `clients: [${client("a")}]\nlimits: { maxBufferedBytes: 63MiB }`,
    ["limits.maxBufferedBytes: one client may use 16128KiB of memory (limits.clientMemoryShare)"]
  ],
  [
    "less memory than one response needs, without clients",
    "limits: { maxBufferedBytes: 10MB }",
    ["limits.maxBufferedBytes: one client may use 10MB of memory"]
  ]
])("rejects %s", ([, text, words]) =>
  Effect.gen(function*() {
    const lines = yield* diagnosticsOf({ text, env: { A: "key-of-the-service" } })
    expect(lines).toEqual(words.map((word) => expect.stringContaining(word)))
  }))

const tooSmall =
  "dailyQuota: less than one request costs, so these operations always exceed it: tokenPrice (7)"

it.effect.each<[string, string, ReadonlyArray<string>]>([
  ["one port of two addresses", "listen: { port: 80 }\nadmin: { host: 127.0.0.2, port: 80 }", []],
  ["two free ports", "listen: { port: 0 }\nadmin: { port: 0 }", []],
  ["the port of a disabled listener", "listen: { port: 8651 }\nadmin: off", []],
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
  - { name: a, tokens: ["${hash("a")}"], scopes: [tokenPrice], dailyQuota: 6 }
  - { name: b, tokens: ["${hash("b")}"], scopes: [tokenPrice], dailyQuota: 7 }
  - { name: c, tokens: ["${hash("c")}"], scopes: [write], dailyQuota: 6 }
upstream: { keys: [${key(", upstreams: [data], dailyQuota: 5")}] }`,
    [`clients[0].${tooSmall}`, `upstream.keys[0].${tooSmall}`]
  ]
])("accepts, and warns about, %s", ([, text, words]) =>
  Effect.gen(function*() {
    const { warnings } = yield* load({ text, env: { ...baseUrlAndKey, A: "key-of-the-service" } })
    const ofRules = warnings.filter((warning) => !warning.startsWith("QUARRY_"))
    expect(ofRules).toEqual(words.map((word) => expect.stringContaining(word)))
  }))
