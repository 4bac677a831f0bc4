/** Exports of the bundled program that are killed with SIGKILL at random moments, over an upstream with faults. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Server from "@blockquarry/sandbox/Server"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { filesIn, temporaryFolder } from "../support/exports.ts"

const program = fileURLToPath(new URL("../../dist/quarry.js", import.meta.url))

/** 100 kills in the long suite. */
const killsPerFormat = process.env["QUARRY_FULL"] === "1" ? 34 : 2

/** Every 20th request fails: with a status, a broken connection, or a body that is cut. */
const faults: ReadonlyArray<Sandbox.FaultRule> = [
  { fault: { status: 503, "retry-after": "0" }, every: 60 },
  { fault: { kind: "reset" }, every: 60, skip: 20 },
  { fault: { kind: "truncate" }, every: 60, skip: 40 }
]

const server = (options: Sandbox.SandboxOptions) =>
  Server.layer({ scale: 45_000, maxLimit: 500, defaultPageSize: 500, maxRecordedRequests: 1, ...options })

interface Ended {
  readonly code: number | null
  readonly milliseconds: number
  readonly err: string
}

/** Runs the program, and sends it a signal after a time. */
const run = (
  origin: string,
  argv: ReadonlyArray<string>,
  killAfter: number,
  signal: "SIGKILL" | "SIGINT" = "SIGKILL"
): Promise<Ended> =>
  new Promise((resolve) => {
    const start = performance.now()
    const child = spawn(process.execPath, [program, ...argv], {
      env: {
        PATH: process.env["PATH"],
        QUARRY_BASE_URL: origin,
        QUARRY_API_KEY: Sandbox.apiKey,
        QUARRY_RATE_LIMIT: "none"
      },
      stdio: ["ignore", "ignore", "pipe"]
    })
    let err = ""
    child.stderr.on("data", (data: Buffer) => (err += data.toString()))
    const timer = setTimeout(() => child.kill(signal), Math.min(killAfter, 2 ** 31 - 1))
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve({ code, err, milliseconds: performance.now() - start })
    })
  })

describe.each(["ndjson", "csv", "parquet"])("a killed %s export", (format) => {
  it.effect("is byte for byte the undisturbed one once it is complete", () =>
    Effect.gen(function*() {
      const { ledger: { examples: { busyWallet } } } = yield* Sandbox.Sandbox
      const { origin } = yield* Server.SandboxServer
      const folder = temporaryFolder()
      const [whole, file] = [join(folder, `whole.${format}`), join(folder, `killed.${format}`)]
      const argv = ["wallet", "transfers", busyWallet, "--to"]
      const undisturbed = yield* Effect.promise(() => run(origin, [...argv, whole], Infinity))
      expect(undisturbed).toMatchObject({ code: 0 })
      let mode = "--resume"
      for (let kills = 0; kills < killsPerFormat;) {
        const killAfter = Math.random() * undisturbed.milliseconds
        const { code, err } = yield* Effect.promise(() => run(origin, [...argv, file, mode], killAfter))
        if (code === null) kills++
        else {
          expect([code, err]).toEqual([0, expect.stringContaining(file)])
          expect(readFileSync(file).equals(readFileSync(whole))).toBe(true)
        }
        // A complete export starts again
        mode = code === null ? "--resume" : "--overwrite"
      }
      const last = yield* Effect.promise(() => run(origin, [...argv, file, "--resume"], Infinity))
      expect(last).toMatchObject({ code: 0 })
      expect(readFileSync(file).equals(readFileSync(whole))).toBe(true)
      expect(filesIn(folder)).toEqual(
        ["killed", "whole"].flatMap((name) => [`${name}.${format}`, `${name}.${format}.manifest.json`])
      )
    }).pipe(Effect.provide(server({ faults }))), 600_000)
})

describe("Ctrl-C", () => {
  it.effect("ends an export at once, and prints the command that continues it", () =>
    Effect.gen(function*() {
      const { ledger: { examples: { busyWallet } } } = yield* Sandbox.Sandbox
      const { origin } = yield* Server.SandboxServer
      const file = join(temporaryFolder(), "transfers.csv")
      const argv = ["wallet", "transfers", busyWallet, "--to", file]
      // The first page never arrives
      const { code, err } = yield* Effect.promise(() => run(origin, argv, 3000, "SIGINT"))
      expect(code).toBe(130)
      expect(err).toContain(`continue with\nquarry wallet transfers ${busyWallet} --to=${file} --resume\n`)
    }).pipe(Effect.provide(server({ faults: [{ fault: { kind: "hang" } }] }))), 60_000)
})
