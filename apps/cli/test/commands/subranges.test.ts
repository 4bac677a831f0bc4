/** Subranges of `nft list`. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { exampleValues } from "../../src/help/Help.ts"
import { quarry, records, sandboxEnvironment } from "../support/quarry.ts"

const ledger = Ledger.make({ seed: 1, scale: 300 })
const list = ["nft", "list", exampleValues.collection]

const ids = (out: string): ReadonlyArray<string> => records(out).map(({ token_id }) => String(token_id))

const sorted = (all: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...all].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))

/** Runs a command with a new sandbox, and returns the queries that it received. */
const run = (argv: ReadonlyArray<string>, options: Sandbox.SandboxOptions = {}) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox.make({ ledger, ...options })
    const ran = yield* quarry(argv, { env: sandboxEnvironment, client: Sandbox.httpClient(sandbox) })
    const queries = (yield* sandbox.recordedRequests).map(({ query }) => new Map(query))
    return { ...ran, queries, ranges: [...new Set(queries.map((query) => query.get("range")))] }
  })

it.live("reads subranges in parallel, each record once", () =>
  Effect.gen(function*() {
    const plain = yield* run([...list, "--all"])
    const split = yield* run([...list, "--total-ranges", "3", "--all", "--limit", "5", "--chain", "eth"])
    expect(split).toMatchObject({ code: 0, err: "" })
    expect(sorted(ids(split.out))).toEqual(sorted(ids(plain.out)))
    expect(split.ranges).toEqual(["1", "2", "3"])
    for (const query of split.queries) {
      expect(Object.fromEntries(query)).toMatchObject({ totalRanges: "3", limit: "5", chain: "0x1" })
    }
  }))

it.live("stops after --max-items records, and reports that more may be available", () =>
  Effect.gen(function*() {
    const some = yield* run([...list, "--total-ranges", "2", "--max-items", "7", "--limit", "4"])
    expect(some.code).toBe(0)
    expect(new Set(ids(some.out)).size).toBe(7)
    expect(some.err).toBe("stopped after 7 NFTs; more may be available\n")
    const complete = yield* run([...list, "--total-ranges", "2", "--max-items", "8", "--limit", "4"])
    expect(complete.err).toBe("stopped after 8 NFTs; more may be available\n")
  }))

it.live("reports the number of records after an error, and that the list restarts from the beginning", () =>
  Effect.gen(function*() {
    const broken = yield* run([...list, "--total-ranges", "2", "--all", "--limit", "1"], {
      faults: [{ fault: { status: 400 }, skip: 8 }]
    })
    expect(broken.code).toBe(2)
    const count = ids(broken.out).length
    expect(count).toBeGreaterThan(0)
    expect(broken.err).toContain(`interrupted after ${count} NFTs; resume from the beginning\n`)
  }))

it.live("reports that the collection is being indexed, and waits for it", () =>
  Effect.gen(function*() {
    const argv = ["nft", "list", exampleValues.unindexed, "--total-ranges", "2", "--all"]
    const now = yield* run(argv, { syncAfter: { duration: "1 hour" } })
    expect(now.err).toMatch(/SYNCING.*--wait/)
    const waited = yield* run([...argv, "--wait"], { syncAfter: { reads: 1 } })
    expect(waited).toMatchObject({ code: 0, err: "" })
    expect(ids(waited.out).length).toBeGreaterThan(0)
  }))
