/** A watch in child processes, over real sockets, while the head advances and requests fail. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Server from "@blockquarry/sandbox/Server"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { existsSync, readFileSync } from "node:fs"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { start as startProgram } from "../support/process.ts"
import { transferIds } from "../support/quarry.ts"
import { temporaryFile } from "./support.ts"

const pageSize = 5

const server = Server.layer({
  scale: 60,
  blockTime: "400 millis",
  faults: [
    { fault: { status: 503 }, every: 19 },
    { fault: { kind: "reset" }, every: 23 },
    { fault: { kind: "truncate" }, every: 29 },
    { fault: { status: 429, "retry-after": "0" }, every: 31 }
  ]
})

const contentOf = (file: string): string | null => existsSync(file) ? readFileSync(file, "utf8") : null

/** Waits until the content of the file is not `previous`. */
const untilChanged = (file: string, previous: string | null) =>
  Effect.sync(() => contentOf(file)).pipe(
    Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (content) => content !== previous })
  )

const kills = isFull ? 8 : 3

it.scopedLive(
  "loses no record when it is killed, and repeats at most those of the last page",
  () =>
    Effect.gen(function*() {
      const { origin } = yield* Server.SandboxServer
      const { chains, ledger: { examples: { busyWallet } } } = yield* Sandbox.Sandbox
      const state = temporaryFile("state.json")
      let out = ""
      let err = ""
      for (let run = 0; run < kills; run++) {
        const { ended, kill, until } = startProgram(
          `watch wallet transfers ${busyWallet} --limit ${pageSize} --overlap 8 --interval 1s --state ${state}`,
          { QUARRY_API_KEY: Sandbox.apiKey, QUARRY_BASE_URL: origin, QUARRY_RATE_LIMIT: "none" }
        )
        yield* Effect.promise(() => until("\n"))
        // After the first record, so that a kill does not always come before its position is saved
        if (run % 2 === 0) yield* untilChanged(state, contentOf(state))
        kill()
        const result = yield* Effect.promise(() => ended)
        out += result.out
        err += result.err
      }
      const ids = transferIds(out)
      const start = Number(/from now on, after block (\d+)/.exec(err)?.[1])
      const transfers = (yield* chains).get("eth")?.walletTransfers(busyWallet)
      const expected = Array.from({ length: transfers?.length ?? 0 }, (_, index) => transfers?.at(index))
        .filter((transfer) => transfer !== undefined && transfer.block > start)
        .map((transfer) => `${transfer?.transaction}:${transfer?.logIndex}`)
      const unique = [...new Set(ids)]
      expect(unique.length).toBeGreaterThan(kills / 2)
      expect(unique).toEqual(expected.slice(0, unique.length))
      expect(ids.length - unique.length).toBeLessThanOrEqual(kills * pageSize)
    }).pipe(Effect.provide(server))
)
