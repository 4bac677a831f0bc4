/** Tokens: generated ones, and those of the configuration. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Tokens from "../../src/auth/Tokens.ts"
import * as Values from "../../src/config/ValueSchemas.ts"
import { configuredTokens } from "../support/proxy.ts"

it.effect("have 256 random bits, are valid header values, and are unique", () =>
  Effect.gen(function*() {
    const tokens = yield* Effect.all(Array.from({ length: 50 }, () => Tokens.generate))
    expect(new Set(tokens).size).toBe(50)
    for (const token of tokens) expect(token).toMatch(/^qp_[A-Za-z0-9_-]{43}$/)
  }))

it("are identified by their SHA-256 hash", () => {
  expect(Tokens.hash("abc")).toBe(
    "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  )
})

it("of the configuration are read once, and printed as they are written", () => {
  const hash = Tokens.hash("abc")
  const written = [
    hash.toUpperCase().replace("SHA", "sha"),
    `${hash} Alice`,
    `${hash} from 2026-11-01`,
    `${hash} bob from 2026-11-01 until 2027-01-31T12:00Z`
  ]
  const tokens = configuredTokens(written)
  expect(tokens.map((token) => [token.hash, token.name])).toEqual([
    [hash, undefined],
    [hash, "Alice"],
    [hash, undefined],
    [hash, "bob"]
  ])
  expect(tokens[3]).toMatchObject({ from: Date.UTC(2026, 10), until: Date.UTC(2027, 0, 31, 12) })
  expect(Schema.encodeSync(Values.Tokens)(tokens)).toEqual(written)
})

it("that is accepted suffices, and a known problem of another is reported instead of an unknown token", () => {
  const [shop, old] = configuredTokens([Tokens.hash("of-shop"), `${Tokens.hash("old")} until 2026-01-01`])
  const find = Tokens.lookup([[shop!, "shop"], [old!, "shop"]])
  const result = (key: string, token: string) =>
    find(
      Tokens.fromHeaders({ "x-api-key": key, authorization: `Bearer ${token}` }),
      Date.UTC(2026, 1)
    )
  expect(result("old", "of-shop")).toEqual(Either.right("shop"))
  expect(result("of-shop", "old")).toEqual(Either.right("shop"))
  expect(result("unknown", "old")).toEqual(Either.left(Tokens.expired))
  expect(result("unknown", "unknown")).toEqual(Either.left(Tokens.unknown))
})
