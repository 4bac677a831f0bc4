/** Exports of the bundled program that are killed or ended at random moments, over an upstream with faults. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Server from "@blockquarry/sandbox/Server"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isFull, sample } from "../../../../packages/core/test/support/sample.ts"
import { filesIn, temporaryFolder } from "../support/exports.ts"

const program = fileURLToPath(new URL("../../dist/quarry.js", import.meta.url))

/** 100 kills in the long suite. */
const killsPerFormat = isFull ? 34 : 2

/** Every 20th request fails: with a status, a broken connection, or a body that is cut. */
const faults: ReadonlyArray<Sandbox.FaultRule> = [
  { fault: { status: 503, "retry-after": "0" }, every: 60 },
  { fault: { kind: "reset" }, every: 60, skip: 20 },
  { fault: { kind: "truncate" }, every: 60, skip: 40 }
]

const server = (options: Sandbox.SandboxOptions) =>
  Server.layer({ scale: 45_000, maxLimit: 500, defaultPageSize: 500, maxRecordedRequests: 1, ...options })

/** The share of runs that are ended with SIGTERM, and save what they have. */
const endedShare = 0.25

interface Ended {
  readonly code: number | null
  /** The signal that killed the process. */
  readonly signal: NodeJS.Signals | null
  readonly milliseconds: number
  readonly err: string
}

/** Runs the program, and sends it a signal after a time. */
const run = (
  origin: string,
  argv: ReadonlyArray<string>,
  killAfter: number,
  signal: "SIGKILL" | "SIGTERM" | "SIGINT" = "SIGKILL"
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
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, err, milliseconds: performance.now() - start })
    })
  })

describe.each(sample(["parquet", "ndjson", "csv"], 3))("a killed %s export", (format) => {
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
        const isEnded = Math.random() < endedShare
        const { code, err, signal } = yield* Effect.promise(() =>
          run(origin, [...argv, file, mode], killAfter, isEnded ? "SIGTERM" : "SIGKILL")
        )
        if (signal === "SIGKILL") kills++
        if (code === 0) {
          expect(err).toContain(file)
          expect(readFileSync(file).equals(readFileSync(whole))).toBe(true)
        } else if (signal === null) {
          expect(isEnded).toBe(true)
          // Before the export starts, there is nothing to continue
          expect(err).toMatch(
            /^$|(?:(?:all|none) saved\)|before reading transfers); continue with\nquarry wallet transfers/
          )
        }
        // A complete export starts again
        mode = code === 0 ? "--overwrite" : "--resume"
      }
      const last = yield* Effect.promise(() => run(origin, [...argv, file, "--resume"], Infinity))
      expect(last).toMatchObject({ code: 0 })
      expect(readFileSync(file).equals(readFileSync(whole))).toBe(true)
      expect(filesIn(folder)).toEqual(
        ["killed", "whole"].flatMap((name) => [`${name}.${format}`, `${name}.${format}.manifest.json`])
      )
    }).pipe(Effect.provide(server({ faults }))))
})

describe.each([["SIGINT", 130], ["SIGTERM", 143]] as const)("%s", (signal, status) => {
  it.effect("ends an export at once, and prints the command that continues it", () =>
    Effect.gen(function*() {
      const { ledger: { examples: { busyWallet } } } = yield* Sandbox.Sandbox
      const { origin } = yield* Server.SandboxServer
      const file = join(temporaryFolder(), "transfers.csv")
      const argv = ["wallet", "transfers", busyWallet, "--to", file]
      // The first page never arrives
      const { code, err } = yield* Effect.promise(() => run(origin, argv, 3000, signal))
      expect(code).toBe(status)
      expect(err).toContain(
        `interrupted after 0 transfers (none saved); continue with\nquarry wallet transfers ${busyWallet} --to=${file} --resume\n`
      )
    }).pipe(Effect.provide(server({ faults: [{ fault: { kind: "hang" } }] }))))
})
