/** The command line, sorted. */
import { expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { entries } from "../src/commands/index.ts"
import { things } from "../src/Help.ts"
import { sort } from "../src/line/Argv.ts"
import { nearest } from "../src/line/Suggest.ts"

const line = (...argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const request = Either.getOrThrowWith(sort(entries, argv), ({ problem }) => new Error(problem))
  return request._tag === "Run" ? request.line : [request._tag]
}

const refusal = (...argv: ReadonlyArray<string>) => Either.getOrThrow(Either.flip(sort(entries, argv)))

const sorted = ["wallet", "transfers", "--sandbox", "true", "--limit", "5", "--", things.wallet]

it("takes options anywhere, in every spelling", () => {
  expect(line("--sandbox", "--limit", "5", "wallet", "transfers", things.wallet)).toEqual(sorted)
  expect(line("wallet", "--sandbox", "transfers", "--limit=5", things.wallet)).toEqual(sorted)
  expect(line("wallet", "transfers", "--sandbox=true", things.wallet, "--limit", "5")).toEqual(sorted)
  expect(line("wallet", "transfers", "--sandbox", "true", "--limit", "5", "--", things.wallet)).toEqual(
    sorted
  )
  expect(line("-ojson", "-v", "wallet", "chains", things.wallet)).toEqual(
    ["wallet", "chains", "--output", "json", "--verbose", "true", "--", things.wallet]
  )
  expect(line("--no-sandbox", "wallet", "chains", things.wallet)).toContain("false")
  expect(line("stream", "set-status", "--", "-x", "paused").slice(-2)).toEqual(["-x", "paused"])
})

it("keeps values as they were written", () => {
  expect(line("wallet", "transfers", things.wallet, "--cursor", "a=b==", "--limit", "-5")).toEqual(
    ["wallet", "transfers", "--cursor", "a=b==", "--limit", "-5", "--", things.wallet]
  )
})

it("answers questions about itself before anything else", () => {
  expect(line()).toEqual(["Help"])
  expect(line("--help")).toEqual(["Help"])
  expect(line("help", "wallet", "transfers")).toEqual(["Help"])
  expect(line("wallet")).toEqual(["Help"])
  expect(line("wallet", "transfers", "-h")).toEqual(["Help"])
  expect(line("--version")).toEqual(["Version"])
  expect(line("--completions", "zsh")).toEqual(["Completions"])
  expect(line("sandbox")).toEqual(["sandbox", "serve"])
})

it("names what is mistyped, and what was meant", () => {
  expect(refusal("wallet", "transfer", things.wallet)).toMatchObject({
    hint: "did you mean quarry wallet transfers?"
  })
  expect(refusal("walet", "chains")).toMatchObject({ hint: "did you mean quarry wallet chains?" })
  expect(refusal("price", things.token)).toMatchObject({ hint: "did you mean quarry token price?" })
  expect(refusal("wallet", "transfers", things.wallet, "--form-block", "5")).toMatchObject({
    hint: "did you mean --from-block?"
  })
  expect(refusal("wallet", "chains")).toMatchObject({
    problem: expect.stringContaining("<address> is missing")
  })
  expect(refusal("wallet", "chains", things.wallet, "more")).toMatchObject({
    problem: expect.stringContaining("\"more\"")
  })
  expect(refusal("wallet", "chains", things.wallet, "--limit", "3")).toMatchObject({
    problem: expect.stringContaining("no option --limit")
  })
  expect(refusal("wallet", "transfers", things.wallet, "--limit")).toMatchObject({
    problem: "--limit needs a value"
  })
  expect(refusal("wallet", "transfers", things.wallet, "--limit", "--all")).toMatchObject({
    problem: "--limit needs a value"
  })
})

it("does not guess wildly", () => {
  expect(nearest("ethereum", ["eth", "polygon"])).toBe("eth")
  expect(nearest("ploygon", ["eth", "polygon"])).toBe("polygon")
  expect(nearest("xyz", ["eth", "polygon"])).toBeUndefined()
})
