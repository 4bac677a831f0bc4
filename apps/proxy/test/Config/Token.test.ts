/** Tokens of clients. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Token from "../../src/Config/Token.ts"
import { load } from "./support.ts"

it.effect("are 256 random bits that go into a header, and never the same", () =>
  Effect.gen(function*() {
    const tokens = yield* Effect.all(Array.from({ length: 50 }, () => Token.generate))
    expect(new Set(tokens).size).toBe(50)
    for (const token of tokens) expect(token).toMatch(/^qp_[A-Za-z0-9_-]{43}$/)
  }))

it("are known by their SHA-256", () => {
  expect(Token.hash("abc")).toBe("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
})

it.effect("have hashes that the configuration takes", () =>
  Effect.gen(function*() {
    const hash = Token.hash(yield* Token.generate)
    const { config } = yield* load({ text: `clients: [{ name: a, tokens: ["${hash}"] }]` })
    expect(config.clients[0]?.tokens).toEqual([hash])
  }))
