/** What goes wrong, and the exit code that says so. */
import type * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { exhaustedApiKey, revokedApiKey } from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { exampleValues } from "../src/Help.ts"
import { quarry, type RunOptions, sandboxEnvironment } from "./support/quarry.ts"

const price = ["token", "price", exampleValues.token]

const faulty = (fault: Sandbox.Fault): RunOptions => ({
  env: sandboxEnvironment,
  sandbox: { faults: [{ fault }] }
})

const cases: ReadonlyArray<
  readonly [what: string, code: number, argv: ReadonlyArray<string>, around: RunOptions, says: RegExp]
> = [
  ["no address", 2, price, {}, /QUARRY_BASE_URL.*--base-url.*--sandbox/s],
  [
    "no key",
    4,
    price,
    { env: { QUARRY_BASE_URL: sandboxEnvironment.QUARRY_BASE_URL } },
    /QUARRY_API_KEY.*--sandbox/s
  ],
  ["a bad address", 2, [...price, "--base-url", "nowhere"], { env: sandboxEnvironment }, /--base-url/],
  [
    "a key that was refused",
    4,
    price,
    { env: { ...sandboxEnvironment, QUARRY_API_KEY: revokedApiKey } },
    /refused/
  ],
  [
    "a used-up plan",
    4,
    price,
    { env: { ...sandboxEnvironment, QUARRY_API_KEY: exhaustedApiKey } },
    /used up/
  ],
  ["400", 2, price, faulty({ status: 400 }), /400/],
  ["404", 3, price, faulty({ status: 404 }), /not found/],
  ["429", 5, price, faulty({ status: 429, "retry-after": "100" }), /try again in/],
  [
    "a limit of one's own that would make it wait too long",
    5,
    ["wallet", "transfers", exampleValues.wallet, "--limit", "2", "--all"],
    { env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "5/h" } },
    /rate limit.*try again in.*QUARRY_RATE_LIMIT/s
  ],
  [
    "a limit that cannot be read",
    2,
    price,
    { env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "fast" } },
    /QUARRY_RATE_LIMIT.*100\/s/s
  ],
  ["503", 6, price, faulty({ status: 503, "retry-after": "100" }), /503/],
  ["a redirect", 6, price, faulty({ status: 302, redirect: "http://elsewhere.invalid/" }), /redirect/],
  ["an answer that is no JSON", 6, price, faulty({ kind: "html" }), /not understood/],
  ["a broken connection", 7, price, faulty({ kind: "reset" }), /cannot be reached/],
  ["the time that was given", 7, [...price, "--timeout", "50ms"], faulty({ kind: "hang" }), /--timeout/],
  [
    "a repeated cursor",
    6,
    ["wallet", "transfers", exampleValues.wallet, "--limit", "2", "--all"],
    faulty({ kind: "repeat-cursor" }),
    /broke off/
  ],
  ["an unknown option", 2, [...price, "--chian", "eth"], {}, /--chian.*did you mean --chain\?/s],
  [
    "an unknown command",
    2,
    ["walet", "chains", exampleValues.wallet],
    {},
    /did you mean quarry wallet chains\?/
  ],
  ["a value that does not fit", 2, [...price, "--to-block", "soon", "--sandbox"], {}, /--to-block: expected/],
  [
    "a status that there is not",
    2,
    ["stream", "set-status", "x", "pausd"],
    {},
    /<status>: expected active or paused or error or terminated, got "pausd"\n.*did you mean paused\?/
  ],
  [
    "a mistyped chain of a list",
    2,
    ["wallet", "chains", exampleValues.wallet, "--chains", "eth,ploygon-amoy"],
    {},
    /--chains: expected a chain of .*polygon-amoy.*, got "ploygon-amoy"\n.*did you mean --chains polygon-amoy\?/
  ],
  ["a chain outside the set", 2, [...price, "--chain", "sepolia", "--sandbox"], {}, /--chain: expected/],
  [
    "a damaged cursor",
    2,
    ["wallet", "transfers", exampleValues.wallet, "--cursor", "quarry-walk-1.x"],
    { env: sandboxEnvironment },
    /--cursor: .*damaged/
  ],
  [
    "a reversed range",
    2,
    ["token", "transfers", exampleValues.token, "--from-block", "9", "--to-block", "3"],
    {},
    /reversed/
  ]
]

describe("exit codes", () => {
  for (const [what, code, argv, around, says] of cases) {
    it.live(`${code} for ${what}`, () =>
      Effect.gen(function*() {
        const ran = yield* quarry(argv, around)
        expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)])
        expect(ran.err).toContain("error: ")
        expect(ran.err.match(/error: /g)).toHaveLength(1)
        expect(ran.err).not.toContain(around.env?.["QUARRY_API_KEY"] ?? "no key was set")
      }))
  }

  it.live("0 when nobody reads the output any more", () =>
    Effect.gen(function*() {
      const ran = yield* quarry(["token", "transfers", exampleValues.token, "--all", "--sandbox"], {
        closedAfter: 1
      })
      expect(ran.code).toBe(0)
      expect(ran.writes).toHaveLength(1)
      expect(ran.err).not.toMatch(/broke off|error/)
    }))

  it.live("2 for an attempt to give the key, which is not repeated", () =>
    Effect.gen(function*() {
      for (
        const spelling of [["--api-key", "s3cret"], ["--api-key=s3cret"], ["--x-api-key=s3cret"], [
          "--key",
          "s3cret"
        ]]
      ) {
        const ran = yield* quarry([...price, ...spelling])
        expect(ran.code).toBe(2)
        expect(ran.err).toContain("QUARRY_API_KEY")
        expect(ran.err).not.toContain("s3cret")
      }
    }))

  it.live("keeps the key out of --verbose", () =>
    Effect.gen(function*() {
      const ran = yield* quarry([...price, "--verbose"], faulty({ status: 503, "retry-after": "100" }))
      expect(ran.err).toContain("attempt")
      expect(ran.err).not.toContain(sandboxEnvironment.QUARRY_API_KEY)
    }))
})
