/** Watches in child processes, over real sockets: restarts while the head advances and requests fail. */
import type { Address } from "@blockquarry/core/Address"
import type * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Server from "@blockquarry/sandbox/Server"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { existsSync, readFileSync } from "node:fs"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { start as startProgram, type Started } from "../golden/processes.ts"
import { records } from "../support/quarry.ts"
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

interface Watched {
  readonly path: string
  readonly address: (examples: Ledger.LedgerExamples) => Address
  readonly transfers: (chain: Ledger.ChainLedger, address: Address) => Ledger.Sequence<Ledger.TokenTransfer>
}

const walletTransfers: Watched = {
  path: "wallet transfers",
  address: ({ busyWallet }) => busyWallet,
  transfers: (chain, address) => chain.walletTransfers(address)
}

const tokenTransfers: Watched = {
  path: "token transfers",
  address: ({ busyToken }) => busyToken,
  transfers: (chain, address) => chain.tokenTransfers(address)
}

/** Runs a watch several times. `stop` ends each run after its first records, every other run after its state is saved. */
const runWatch = (
  { address, path, transfers: transfersOf }: Watched,
  runs: number,
  stop: (started: Started) => void
) =>
  Effect.gen(function*() {
    const { origin } = yield* Server.SandboxServer
    const sandbox = yield* Sandbox.Sandbox
    const watched = address(sandbox.ledger.examples)
    const state = yield* temporaryFile("state.json")
    let out = ""
    let err = ""
    const codes: Array<number | null> = []
    for (let run = 0; run < runs; run++) {
      const started = startProgram(
        `watch ${path} ${watched} --limit ${pageSize} --overlap 8 --interval 1s --state ${state}`,
        { QUARRY_API_KEY: Sandbox.apiKey, QUARRY_BASE_URL: origin, QUARRY_RATE_LIMIT: "none" }
      )
      yield* Effect.promise(() => started.until("\n"))
      // After the first record, so that a kill does not always come before its position is saved
      if (run % 2 === 0) yield* untilChanged(state, contentOf(state))
      stop(started)
      const ended = yield* Effect.promise(() => started.ended)
      out += ended.out
      err += ended.err
      codes.push(ended.code)
    }
    const printed = records(out).map(({ block_number, log_index, transaction_hash }) => ({
      block: Number(block_number),
      id: `${String(transaction_hash)}:${String(log_index)}`
    }))
    const start = Number(/from now on, after block (\d+)/.exec(err)?.[1])
    const chain = (yield* sandbox.chains).get("eth")
    const transfers = chain === undefined ? undefined : transfersOf(chain, watched)
    const expected = Array.from({ length: transfers?.length ?? 0 }, (_, index) => transfers?.at(index))
      .filter((transfer) => transfer !== undefined)
      .filter(({ block }) => block > start)
      .map(({ logIndex, transaction }) => `${transaction}:${logIndex}`)
    return { codes, expected, ids: printed.map(({ id }) => id) }
  })

const runs = isFull ? 5 : 3
const kills = isFull ? 8 : 3

it.scopedLive(
  "prints every record exactly once over restarts in the middle of a poll",
  () =>
    Effect.gen(function*() {
      const results = yield* Effect.forEach(
        // Trades are rare: watch.test.ts restarts their watch
        [walletTransfers, tokenTransfers],
        (watched) => runWatch(watched, runs, ({ interrupt }) => interrupt()),
        { concurrency: "unbounded" }
      )
      for (const { codes, expected, ids } of results) {
        expect(codes).toEqual(Array.from({ length: runs }, () => 130))
        expect(ids.length).toBeGreaterThan(runs)
        expect(ids).toEqual(expected.slice(0, ids.length))
      }
    }).pipe(Effect.provide(server))
)

it.scopedLive(
  "loses no record when it is killed, and repeats at most those of the last page",
  () =>
    Effect.gen(function*() {
      const { expected, ids } = yield* runWatch(walletTransfers, kills, ({ kill }) => kill())
      const unique = [...new Set(ids)]
      expect(unique.length).toBeGreaterThan(kills / 2)
      expect(unique).toEqual(expected.slice(0, unique.length))
      expect(ids.length - unique.length).toBeLessThanOrEqual(kills * pageSize)
    }).pipe(Effect.provide(server))
)
