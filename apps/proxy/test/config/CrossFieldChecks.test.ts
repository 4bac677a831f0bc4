/** What settings have to do with each other. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { diagnosticsOf, load, type LoadInput } from "./support.ts"

const hash = (digit: string) => `sha256:${digit.repeat(64)}`

const client = (name: string, ...digits: ReadonlyArray<string>) =>
  `{ name: ${name}, tokens: [${digits.map(hash).join(", ")}] }`

describe("is refused", () => {
  it.effect.each<[string, string, string | undefined]>([
    ["other machines and nobody named", "listen: { host: 0.0.0.0 }", "openToEveryone: true"],
    ["a name of another machine", "listen: { host: proxy.internal }", "quarry-proxy token"],
    ["everyone and clients", `openToEveryone: true\nclients: [${client("a", "a")}]`, "openToEveryone"],
    ["two clients of one name", `clients: [${client("a", "a")}, ${client("a", "b")}]`, "clients[1].name"],
    [
      "two clients of one token",
      `clients: [${client("a", "a")}, ${client("b", "c", "a")}]`,
      "clients[1].tokens[1]"
    ],
    [
      "a token in other letters",
      `clients: [${client("a", "a")}, ${client("b", "A")}]`,
      "clients[1].tokens[0]"
    ],
    [
      "two keys of one name",
      "upstream: { keys: [{ name: k, secret: { env: A } }, { name: k, secret: { env: A } }] }",
      "upstream.keys[1].name"
    ],
    ["one port for both", "listen: { port: 8651 }", "operations.port"],
    [
      "one port for both on every address",
      "operations: { host: 127.0.0.2, port: 80 }\nlisten: { host: '::', port: 80 }\nopenToEveryone: true",
      "port 80"
    ]
  ])("%s", ([, text, word]) =>
    Effect.gen(function*() {
      const said = yield* diagnosticsOf({ text, env: { A: "a" } })
      expect(said).toEqual([expect.stringContaining(word ?? "")])
      expect(said[0]).not.toContain(hash("a"))
    }))
})

describe("is taken", () => {
  it.effect.each<[string, string]>([
    ["everyone of this machine", "listen: { host: 127.0.0.1 }"],
    ["everyone, in so many words", "listen: { host: 0.0.0.0 }\nopenToEveryone: true"],
    ["everyone of this machine, in so many words", "openToEveryone: true"],
    [
      "clients from everywhere",
      `listen: { host: '::' }\nclients: [${client("a", "a", "b")}, ${client("b", "c")}]`
    ],
    ["a free port for both", "listen: { port: 0 }\noperations: { port: 0 }"],
    ["one port on two addresses", "listen: { port: 80 }\noperations: { host: 127.0.0.2, port: 80 }"],
    ["one port where there are no operations", "listen: { port: 8651 }\noperations: off"]
  ])("%s", ([, text]) => Effect.map(load({ text }), ({ warnings }) => expect(warnings).toEqual([])))
})

describe("is said, and taken", () => {
  const key = (addresses: string) => `keys: [{ name: k, secret: { env: A }, addresses: ${addresses} }]`

  it.effect.each<[string, LoadInput, ReadonlyArray<string>]>([
    ["operations for others without tokens", { text: "operations: { host: 0.0.0.0 }" }, [
      "/purge and /usage"
    ]],
    ["a client without tokens", { text: "clients: [{ name: a, tokens: [] }]" }, [
      "nobody can be a without a token"
    ]],
    [
      "a sandbox with addresses",
      { env: { QUARRY_SANDBOX: "1", QUARRY_BASE_URL: "https://example.com", QUARRY_API_KEY: "a" } },
      ["QUARRY_SANDBOX: the sandbox takes the place"]
    ],
    [
      "a key for an address that is not there",
      { text: `upstream: { addresses: { data: https://a }, ${key("[data, streams]")} }` },
      ["upstream.keys[0].addresses[1]: the key k is for streams, which has no address"]
    ],
    [
      "an address without a key",
      { text: `upstream: { addresses: { data: https://a, ledger: https://b }, ${key("[data]")} }` },
      ["upstream.addresses.ledger: no key is for this address"]
    ]
  ])("%s", ([, given, words]) =>
    Effect.gen(function*() {
      const { warnings } = yield* load({ ...given, env: { A: "a", ...given.env } })
      expect(warnings).toEqual(words.map((word) => expect.stringContaining(word)))
    }))
})

describe("where a setting is broken", () => {
  it.effect("nothing is said of what has to do with it", () =>
    Effect.gen(function*() {
      const said = (text: string, env = {}) =>
        Effect.map(diagnosticsOf({ text, env }), (lines) => lines.length)
      expect(yield* said("listen: { host: 0.0.0.0 }\nclients: [{ name: a }]")).toBe(1)
      expect(yield* said("listen: { host: 0.0.0.0 }\nopenToEveryone: maybe")).toBe(1)
      expect(yield* said("listen: { host: 0.0.0.0 }", { QUARRY_PROXY_OPEN_TO_EVERYONE: "maybe" })).toBe(1)
      expect(yield* said("listen: { host: 0.0.0.0, port: x }")).toBe(2)
    }))

  it.effect("a variable that is not known hides nothing", () =>
    Effect.gen(function*() {
      const env = { QUARRY_PROXY_PROT: "1" }
      expect(yield* diagnosticsOf({ text: "listen: { host: 0.0.0.0 }", env })).toHaveLength(2)
    }))

  it.effect("an unknown name in a client hides nothing of the others", () =>
    Effect.gen(function*() {
      const text = `clients: [${client("a", "a").replace("{", "{ scope: 1,")}, ${client("a", "b")}]`
      expect(yield* diagnosticsOf({ text })).toHaveLength(2)
    }))
})
