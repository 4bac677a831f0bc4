/** `--quiet`: errors only on stderr. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { quarry, type RunOptions } from "../support/quarry.ts"

const scale = 60
const { emptyWallet, token, unpricedToken, wallet } = Ledger.make({ seed: 1, scale }).examples

const run = (line: string, options: RunOptions = {}) =>
  quarry([...line.split(" "), "--sandbox"], { sandbox: { scale }, ...options })

it.live("prints no notices and no progress", () =>
  Effect.gen(function*() {
    const captured = { out: "", err: "", progressCount: 0 }
    const list = `wallet transfers ${wallet} --limit 2 --max-items 4`
    const loud = yield* run(`${list} -o table`, { captured, terminal: 60 })
    expect(loud.err).not.toBe("")
    for (
      const [line, options] of [
        [`${list} -o table --quiet`, { captured, terminal: 60 }],
        [`${list} -q`, { captured }],
        [`wallet transfers ${emptyWallet} -q -o table`, {}],
        [`token price - -q`, { stdin: "" }]
      ] as const
    ) {
      const before = captured.progressCount
      expect([line, (yield* run(line, options)).err, captured.progressCount]).toEqual([line, "", before])
    }
    const quiet = yield* run(`${list} -o table -q`, { terminal: 60 })
    expect(quiet.out).toBe(loud.out)
  }))

it.live("prints errors, without hints", () =>
  Effect.gen(function*() {
    const missing = yield* run(`token price ${unpricedToken} -q`)
    expect(missing).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^error: not found \(404\)[^\n]*\n$/)
    })
    expect((yield* run("token price 0x12 --quiet")).err).toMatch(/^error: <address>[^\n]*\n$/)
    const inputs = yield* run("token price - -q", { stdin: `${token}\n${unpricedToken}\n` })
    expect(inputs.err).toBe(
      `1 of 2 inputs failed:\n  line 2: ${unpricedToken}: ${
        missing.err.slice("error: ".length)
      }error: 1 of 2 inputs failed\n`
    )
    const json = yield* run("token price 0x12 -q --json-errors")
    expect(JSON.parse(json.err)).toMatchObject({ tag: "UsageError", exitCode: 2 })
    expect(yield* run("token price 0x12 -q -v")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--quiet and --verbose are mutually exclusive")
    })
  }))
