/** Errors and their exit status. */
import type * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { exhaustedApiKey, revokedApiKey } from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { signalExitCodes } from "../../src/errors/CommandError.ts"
import { exampleValues, exitStatus } from "../../src/help/Help.ts"
import { quarry, type RunOptions, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const price = ["token", "price", exampleValues.token]

const faulty = (fault: Sandbox.Fault): RunOptions => ({
  env: sandboxEnvironment,
  sandbox: { faults: [{ fault }] }
})

const cases: ReadonlyArray<
  readonly [error: string, code: number, argv: ReadonlyArray<string>, options: RunOptions, message: RegExp]
> = [
  ["a missing base URL", 2, price, {}, /QUARRY_BASE_URL.*--base-url.*--sandbox/s],
  [
    "a missing API key",
    4,
    price,
    { env: { QUARRY_BASE_URL: sandboxEnvironment.QUARRY_BASE_URL } },
    /QUARRY_API_KEY.*--sandbox/s
  ],
  ["an invalid base URL", 2, [...price, "--base-url", "nowhere"], { env: sandboxEnvironment }, /--base-url/],
  [
    "a rejected API key",
    4,
    price,
    { env: { ...sandboxEnvironment, QUARRY_API_KEY: revokedApiKey } },
    /^error: authentication failed/
  ],
  [
    "an exhausted plan",
    4,
    price,
    { env: { ...sandboxEnvironment, QUARRY_API_KEY: exhaustedApiKey } },
    /plan quota/
  ],
  ["400", 2, price, faulty({ status: 400 }), /400/],
  ["403", 4, price, faulty({ status: 403 }), /^error: permission denied/],
  ["404", 3, price, faulty({ status: 404 }), /not found/],
  [
    "a base URL with a wrong path",
    3,
    price,
    { env: { ...sandboxEnvironment, QUARRY_BASE_URL: `${sandboxEnvironment.QUARRY_BASE_URL}/foo` } },
    /no such path \(404\): Cannot GET \S+\n.*check the path of the base URL \(QUARRY_BASE_URL\)/s
  ],
  [
    "a page of a website",
    3,
    price,
    {
      env: sandboxEnvironment,
      client: respondingWith("<html>", 404, { "content-type": "text/html" }).client
    },
    /no such path \(404\)\n.*check the path of the base URL/s
  ],
  [
    "an item that is not found",
    3,
    price,
    { env: sandboxEnvironment, client: respondingWith("{\"message\":\"Token not found\"}", 404).client },
    /not found \(404\): Token not found\n.*check the address/s
  ],
  ["429", 5, price, faulty({ status: 429, "retry-after": "100" }), /retry in/],
  [
    "a wait for the local rate limit that exceeds maxWait",
    5,
    ["wallet", "transfers", exampleValues.wallet, "--limit", "2", "--all"],
    { env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "5/h" } },
    /rate limit.*retry in.*QUARRY_RATE_LIMIT/s
  ],
  [
    "an invalid rate limit",
    2,
    price,
    { env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "fast" } },
    /QUARRY_RATE_LIMIT.*100\/s/s
  ],
  ["503", 6, price, faulty({ status: 503, "retry-after": "100" }), /503/],
  ["a redirect", 6, price, faulty({ status: 302, redirect: "http://elsewhere.invalid/" }), /redirect/],
  ["a response that is not JSON", 6, price, faulty({ kind: "html" }), /invalid response/],
  ["a broken connection", 7, price, faulty({ kind: "reset" }), /connection to .* failed/],
  ["a timeout", 7, [...price, "--timeout", "50ms"], faulty({ kind: "hang" }), /--timeout/],
  [
    "a repeated cursor",
    6,
    ["wallet", "transfers", exampleValues.wallet, "--limit", "2", "--all"],
    faulty({ kind: "repeat-cursor" }),
    /pagination failed/
  ],
  ["an unknown option", 2, [...price, "--chian", "eth"], {}, /--chian.*did you mean --chain\?/s],
  [
    "an unknown command",
    2,
    ["walet", "chains", exampleValues.wallet],
    {},
    /did you mean quarry wallet chains\?/
  ],
  ["an invalid value", 2, [...price, "--to-block", "soon", "--sandbox"], {}, /--to-block: expected/],
  [
    "a mistyped argument",
    2,
    ["stream", "set-status", "x", "pausd"],
    {},
    /<status>: expected active or paused or error or terminated, got "pausd"\n.*did you mean paused\?/
  ],
  ["an unsupported chain", 2, [...price, "--chain", "sepolia", "--sandbox"], {}, /--chain: expected/],
  [
    "an invalid cursor",
    2,
    ["wallet", "transfers", exampleValues.wallet, "--cursor", "quarry-resume-1.x"],
    { env: sandboxEnvironment },
    /--cursor: .*invalid cursor/
  ],
  [
    "a reversed range",
    2,
    ["token", "transfers", exampleValues.token, "--from-block", "9", "--to-block", "3"],
    {},
    /invalid range/
  ]
]

describe("exit status", () => {
  for (const [error, code, argv, options, message] of cases) {
    it.live(`is ${code} for ${error}`, () =>
      Effect.gen(function*() {
        const ran = yield* quarry(argv, options)
        expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(message)])
        expect(ran.err).toContain("error: ")
        expect(ran.err.match(/error: /g)).toHaveLength(1)
        expect(ran.err).not.toContain(options.env?.["QUARRY_API_KEY"] ?? "no key was set")
      }))
  }

  it("is produced by a test, for every documented status", () => {
    // 0, 1 and 8 below; 9 and 10 in output.test.ts, those of signals in process.test.ts
    const others = [0, 1, 8, 9, 10, ...Object.values(signalExitCodes)]
    const produced = new Set([...cases.map(([, code]) => code), ...others])
    expect([...produced].sort((one, other) => one - other)).toEqual(exitStatus.map(([code]) => Number(code)))
  })

  it.live("is 1 for a defect, which is reported as a bug", () =>
    Effect.gen(function*() {
      const client = HttpClient.make(() => Effect.die(new Error("broken")))
      const ran = yield* quarry(price, { client, env: sandboxEnvironment })
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("this is a bug in quarry")])
    }))

  it.live("is 8 when some of many inputs fail", () =>
    Effect.gen(function*() {
      const directory = mkdtempSync(join(tmpdir(), "quarry-"))
      const file = join(directory, "tokens.txt")
      writeFileSync(file, `${exampleValues.token}\n0x12\n`)
      const ran = yield* quarry(["token", "price", "--from", file, "--sandbox"])
      rmSync(directory, { recursive: true, force: true })
      expect(ran.code).toBe(8)
      expect(ran.out.trimEnd().split("\n")).toHaveLength(1)
    }))

  it.live("is 0 when the reader closes the output", () =>
    Effect.gen(function*() {
      const ran = yield* quarry(["token", "transfers", exampleValues.token, "--all", "--sandbox"], {
        closedAfter: 1
      })
      expect(ran.code).toBe(0)
      expect(ran.writes).toHaveLength(1)
      expect(ran.err).not.toMatch(/interrupted|error/)
    }))

  it.live("is 2 for an API key in an option, and the key is not printed", () =>
    Effect.gen(function*() {
      for (
        const option of [["--api-key", "s3cret"], ["--api-key=s3cret"], ["--x-api-key=s3cret"], [
          "--key",
          "s3cret"
        ]]
      ) {
        const ran = yield* quarry([...price, ...option])
        expect(ran.code).toBe(2)
        expect(ran.err).toContain("QUARRY_API_KEY")
        expect(ran.err).not.toContain("s3cret")
      }
    }))

  it.live("does not print the API key with --verbose", () =>
    Effect.gen(function*() {
      const ran = yield* quarry([...price, "--verbose"], faulty({ status: 503, "retry-after": "100" }))
      expect(ran.err).toContain("attempt")
      expect(ran.err).not.toContain(sandboxEnvironment.QUARRY_API_KEY)
    }))
})
