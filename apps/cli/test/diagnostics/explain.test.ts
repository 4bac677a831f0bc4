/** `quarry explain` */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { explain, explanations } from "../../src/diagnostics/Explanations.ts"
import { proxyErrorCodes } from "../../src/diagnostics/ProxyErrorCodes.ts"
import { exitCodes } from "../../src/errors/CommandError.ts"
import { exitStatus } from "../../src/help/Help.ts"
import { quarry } from "../support/quarry.ts"

describe("quarry explain", () => {
  it("knows every exit code, every error and every code of the proxy", () => {
    const topics = [
      ...exitStatus.map(([code]) => code),
      ...Object.keys(exitCodes),
      ...Object.keys(proxyErrorCodes)
    ]
    expect(explanations.map(({ topic }) => topic)).toEqual(topics)
    for (const topic of topics) {
      const [first] = explain(topic)
      expect([topic, first?.topic, (first?.meaning ?? "").length > 5]).toEqual([topic, topic, true])
    }
  })

  it("has an exit code for every error, and names all errors of an exit code", () => {
    for (const [tag, code] of Object.entries(exitCodes)) {
      expect(exitStatus.map(([known]) => known)).toContain(String(code))
      if (code !== 0) expect(explain(String(code)).map(({ topic }) => topic)).toContain(tag)
    }
  })

  it.live("wraps texts at spaces on a terminal, and nowhere in a pipe", () =>
    Effect.gen(function*() {
      const { out } = yield* quarry(["explain", "6"], { terminal: 60 })
      expect(out.split("\n").every((line) => line.length <= 60)).toBe(true)
      const piped = yield* quarry(["explain", "6"])
      expect(out.replaceAll(/\s+/g, " ")).toBe(piped.out.replaceAll(/\s+/g, " "))
      expect(piped.out).toMatch(/^ {2}fix: check that the base URL .* to see the request$/m)
    }))

  it.live("prints topics as CSV, with empty cells for what a topic has not", () =>
    Effect.gen(function*() {
      const { out } = yield* quarry(["explain", "-o", "csv"])
      const lines = out.split("\r\n")
      expect(lines[0]).toBe("topic,kind,exitCode,meaning,fix")
      expect(lines.length).toBe(explanations.length + 2)
      expect(lines).toContainEqual(expect.stringMatching(/^RateLimitError,error,5,/))
      expect(out).not.toContain("\"\"")
    }))

  it.live("explains a topic in any case, and without Error", () =>
    Effect.gen(function*() {
      for (const topic of ["RateLimitError", "ratelimiterror", "RateLimit"]) {
        expect(yield* quarry(["explain", topic])).toMatchObject({
          code: 0,
          out: expect.stringMatching(/^RateLimitError \(error, exit code 5\)\n {2}.*\n {2}fix: .*\n$/)
        })
      }
      expect((yield* quarry(["explain", "5"])).out).toMatch(
        /^5 \(exit code\)[^]*RateLimitError[^]*LocalLimitError/
      )
      expect((yield* quarry(["explain", "client-rate-limited"])).out).toContain("HTTP 429")
    }))

  it.live("lists all topics, also as JSON", () =>
    Effect.gen(function*() {
      expect((yield* quarry(["explain"], { terminal: 80 })).out).toContain("upstream-timeout")
      const all: unknown = JSON.parse((yield* quarry(["explain", "-o", "json"])).out)
      expect(all).toEqual(explanations)
    }))

  it.live("suggests a topic for a misspelled one", () =>
    Effect.gen(function*() {
      expect(yield* quarry(["explain", "RateLimitEror"])).toMatchObject({
        code: 2,
        err: expect.stringContaining("did you mean RateLimitError?")
      })
      expect((yield* quarry(["explain", "99"])).code).toBe(2)
    }))
})
