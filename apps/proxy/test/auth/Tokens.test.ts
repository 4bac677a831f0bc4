/** Generated client tokens. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Tokens from "../../src/auth/Tokens.ts"

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
