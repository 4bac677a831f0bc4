/** Exports of the bundled program that are killed or ended at random moments, over an upstream with faults, and on a full disk. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Server from "@blockquarry/sandbox/Server"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isFull, sample } from "../../../../packages/core/test/support/sample.ts"
import { filesIn, temporaryFolder } from "../support/exports.ts"
import { exitOf, program } from "../support/process.ts"

/** Each takes seconds. */
const killsPerFormat = isFull ? 6 : 2

/** More than one part. */
const scale = isFull ? 25_000 : 12_000

/** Every 20th request fails: with a status, a broken connection, or a body that is cut. */
const faults: ReadonlyArray<Sandbox.FaultRule> = [
  { fault: { status: 503, "retry-after": "0" }, every: 60 },
  { fault: { kind: "reset" }, every: 60, skip: 20 },
  { fault: { kind: "truncate" }, every: 60, skip: 40 }
]

const server = (faults: ReadonlyArray<Sandbox.FaultRule>) =>
  Server.layer({ scale, maxLimit: 500, defaultPageSize: 500, maxRecordedRequests: 1, faults })

/** Selects the moments, which the speed of the machine moves. */
const seed = 1

/** The share of runs that are ended with SIGTERM, and save what they have. */
const endedShare = 0.25

interface RunOptions {
  readonly signal?: NodeJS.Signals
  /** When the signal is sent. */
  readonly after?: Promise<unknown>
  /** The limit of file sizes, which has the effect of a full disk. */
  readonly kilobytes?: number | "unlimited"
}

/** Exports the transfers of the busy wallet. */
const startExport = Effect.map(
  Effect.all([Sandbox.Sandbox, Server.SandboxServer]),
  ([{ ledger: { examples: { busyWallet } } }, { origin }]) =>
  async (
    file: string,
    mode: string,
    { after, kilobytes = "unlimited", signal = "SIGKILL" }: RunOptions = {}
  ) => {
    const limited = ["--norc", "-c", `ulimit -f ${kilobytes}; exec "$@"`, "bash", process.execPath, program]
    const child = spawn("bash", [...limited, "wallet", "transfers", busyWallet, "--to", file, mode], {
      env: {
        PATH: process.env["PATH"],
        QUARRY_BASE_URL: origin,
        QUARRY_API_KEY: Sandbox.apiKey,
        QUARRY_RATE_LIMIT: "none"
      }
    })
    void after?.then(() => child.kill(signal))
    return { ...await exitOf(child), signal: child.signalCode }
  }
)

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

it.effect.each(sample(["parquet", "ndjson", "csv"], 3))(
  `a %s export is byte for byte the undisturbed one, wherever it is killed or ended (seed ${seed})`,
  (format) =>
    Effect.gen(function*() {
      const run = yield* startExport
      const { next } = Random.make(seed)
      const folder = temporaryFolder()
      const [whole, file] = [join(folder, `whole.${format}`), join(folder, `killed.${format}`)]
      const start = performance.now()
      const undisturbed = yield* Effect.promise(() => run(whole, "--resume"))
      expect(undisturbed).toMatchObject({ code: 0 })
      const total = /exported ([\d,]+) transfers/.exec(undisturbed.err)?.[1]
      expect(total).toBeDefined()
      const duration = performance.now() - start
      let mode = "--resume"
      for (let kills = 0; kills < killsPerFormat;) {
        const isEnded = (yield* next) < endedShare
        const moment = (yield* next) * duration
        const { code, err, signal } = yield* Effect.promise(() =>
          run(file, mode, { after: sleep(moment), signal: isEnded ? "SIGTERM" : "SIGKILL" })
        )
        if (signal === "SIGKILL") kills++
        if (code === 0) {
          expect(err).toContain(file)
          expect(readFileSync(file).equals(readFileSync(whole))).toBe(true)
        } else if (signal === null) {
          expect(isEnded).toBe(true)
          // Before the program starts, it says nothing. After the last page, the part that is open has no cursor
          const endings = [
            "(?:all|none) saved\\)",
            "before reading transfers",
            `after ${total} transfers \\([\\d,]+ saved; [\\d,]+ will be read again\\)`
          ]
          expect(err).toMatch(
            new RegExp(`^$|(?:${endings.join("|")}); continue with\nquarry wallet transfers`)
          )
        }
        // A complete export starts again
        mode = code === 0 ? "--overwrite" : "--resume"
      }
      expect(yield* Effect.promise(() => run(file, "--resume"))).toMatchObject({ code: 0 })
      expect(readFileSync(file).equals(readFileSync(whole))).toBe(true)
      expect(filesIn(folder)).toEqual(
        ["killed", "whole"].flatMap((name) => [`${name}.${format}`, `${name}.${format}.manifest.json`])
      )
    }).pipe(Effect.provide(server(faults)))
)

it.effect.skipIf(process.platform === "win32")(
  "keeps the parts that a full disk has, says how to continue, and continues when there is space",
  () =>
    Effect.gen(function*() {
      const run = yield* startExport
      const file = join(temporaryFolder(), "transfers.ndjson")
      const full = yield* Effect.promise(() => run(file, "--resume", { kilobytes: 10_000 }))
      expect([full.code, full.err]).toEqual([
        1,
        expect.stringMatching(/cannot write .*transfers\.ndjson\.partial: file too large \(EFBIG\)/)
      ])
      expect(full.err).toContain("hint: the disk or ulimit -f allows no larger files")
      expect(full.err).toMatch(/[1-9]\d,\d{3} saved.*; continue with\nquarry wallet transfers .* --resume\n/)
      expect(existsSync(file)).toBe(false)
      expect(yield* Effect.promise(() => run(file, "--resume"))).toMatchObject({ code: 0 })
      expect(new Set(readFileSync(file, "utf8").trimEnd().split("\n")).size).toBeGreaterThan(scale * 0.9)
    }).pipe(Effect.provide(server([])))
)
