/** Exports when no more bytes can be written: the limit of file sizes has the effect of a full disk. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Server from "@blockquarry/sandbox/Server"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { filesIn, temporaryFolder } from "../support/exports.ts"

const program = fileURLToPath(new URL("../../dist/quarry.js", import.meta.url))

const run = (origin: string, argv: ReadonlyArray<string>, maxKilobytes: number | "unlimited") =>
  new Promise<{ readonly code: number | null; readonly err: string }>((resolve) => {
    const child = spawn(
      "bash",
      ["-c", `ulimit -f ${maxKilobytes}; exec "$@"`, "bash", process.execPath, program, ...argv],
      {
        env: {
          PATH: process.env["PATH"],
          QUARRY_BASE_URL: origin,
          QUARRY_API_KEY: Sandbox.apiKey,
          QUARRY_RATE_LIMIT: "none"
        },
        stdio: ["ignore", "ignore", "pipe"]
      }
    )
    let err = ""
    child.stderr.on("data", (data: Buffer) => (err += data.toString()))
    child.on("close", (code) => resolve({ code, err }))
  })

it.effect.skipIf(process.platform === "win32")(
  "keeps the parts that fit, says how to continue, and continues when there is space",
  () =>
    Effect.gen(function*() {
      const { ledger: { examples: { busyWallet } } } = yield* Sandbox.Sandbox
      const { origin } = yield* Server.SandboxServer
      const folder = temporaryFolder()
      const [whole, file] = [join(folder, "whole.ndjson"), join(folder, "transfers.ndjson")]
      const argv = ["wallet", "transfers", busyWallet, "--to"]
      yield* Effect.promise(() => run(origin, [...argv, whole], "unlimited"))
      // More than one part
      const full = yield* Effect.promise(() => run(origin, [...argv, file], 15_000))
      expect([full.code, full.err]).toEqual([
        1,
        expect.stringMatching(/cannot write .*transfers\.ndjson\.partial: file too large \(EFBIG\)/)
      ])
      expect(full.err).toContain("hint: the disk or ulimit -f allows no larger files")
      expect(full.err).toMatch(/continue with\nquarry wallet transfers .* --resume\n/)
      expect(existsSync(file)).toBe(false)
      const resumed = yield* Effect.promise(() => run(origin, [...argv, file, "--resume"], "unlimited"))
      expect(resumed).toMatchObject({ code: 0 })
      expect(readFileSync(file).equals(readFileSync(whole))).toBe(true)
      expect(filesIn(folder)).toHaveLength(4)
    }).pipe(
      Effect.provide(Server.layer({ scale: 25_000, maxLimit: 1000, defaultPageSize: 1000 }))
    )
)
