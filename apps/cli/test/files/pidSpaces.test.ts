/** Exports of the bundled program in two PID namespaces, as in two containers with one volume and one host name. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Server from "@blockquarry/sandbox/Server"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { filesIn, temporaryFolder } from "../support/exports.ts"
import { exitOf, program } from "../support/process.ts"

const container = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]

const hasSpaces = spawnSync("unshare", [...container, "true"]).status === 0

it.live.skipIf(!hasSpaces)(
  "an export that runs in another container keeps its lock, and that of an ended one can be taken over",
  () =>
    Effect.gen(function*() {
      const { ledger: { examples: { busyWallet } }, recordedRequests } = yield* Sandbox.Sandbox
      const { origin } = yield* Server.SandboxServer
      const folder = temporaryFolder()
      const file = join(folder, "transfers.csv")
      const start = (command: ReadonlyArray<string>, ...options: ReadonlyArray<string>) => {
        const [first = "", ...rest] = [...command, process.execPath, program]
        return spawn(first, [...rest, "wallet", "transfers", busyWallet, "--to", file, ...options], {
          env: {
            PATH: process.env["PATH"],
            QUARRY_BASE_URL: origin,
            QUARRY_API_KEY: Sandbox.apiKey,
            QUARRY_RATE_LIMIT: "none"
          }
        })
      }
      const run = (...parameters: Parameters<typeof start>) =>
        Effect.promise(() => exitOf(start(...parameters)))
      const isolated = ["unshare", ...container]
      const refusal = {
        code: 2,
        out: "",
        err: expect.stringMatching(
          /error: another process \(\d+ on [^/,]+, in its own PID namespace\) is writing .*; it was last active [\d.]+\w.* ago\nhint: wait until it ends, or use --take-over if it has ended\n/
        )
      }

      // No attempt times out, so that the export waits until it is killed
      const first = start(isolated, "--timeout", "1h")
      const ended = exitOf(first)
      yield* Effect.repeat(recordedRequests, {
        until: ({ length }) => length === 4,
        schedule: Schedule.spaced("20 millis")
      })
      expect(yield* run(isolated, "--resume")).toMatchObject(refusal)
      expect(yield* run([], "--overwrite")).toMatchObject(refusal)
      expect(filesIn(folder)).toContain("transfers.csv.lock")

      first.kill("SIGKILL")
      yield* Effect.promise(() => ended)
      expect(yield* run(isolated, "--resume")).toMatchObject(refusal)
      expect(yield* run(isolated, "--resume", "--take-over")).toMatchObject({ code: 0 })
      expect(filesIn(folder)).toEqual(["transfers.csv", "transfers.csv.manifest.json"])
      const lines = readFileSync(file, "utf8").trimEnd().split("\r\n")
      expect([lines.length > 200, new Set(lines).size]).toEqual([true, lines.length])
    }).pipe(
      // One request never gets a response
      Effect.provide(
        Server.layer({
          scale: 1000,
          maxLimit: 50,
          defaultPageSize: 50,
          faults: [{ fault: { kind: "hang" }, skip: 3, count: 1 }]
        })
      )
    )
)
