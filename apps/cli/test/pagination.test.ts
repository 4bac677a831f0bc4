/** Lists: one page, all of it, parts of it, and what is said when they break off. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { exampleValues } from "../src/Help.ts"
import { quarry, records, sandboxEnvironment } from "./support/quarry.ts"

const scale = 300
const { busyWallet } = Ledger.make({ seed: 1, scale }).examples
const expected = Ledger.make({ seed: 1, scale }).chains.get("eth")?.walletTransfers(busyWallet).length ?? 0

const listArgs = ["wallet", "transfers", busyWallet, "--chain", "eth"]
const sandbox = { scale }

const cursorIn = (text: string): string => /--cursor (\S+)/.exec(text)?.[1] ?? ""

const ids = (out: string): ReadonlyArray<string> =>
  records(out).map(({ log_index, transaction_hash }) => `${String(transaction_hash)}:${String(log_index)}`)

it.live("prints every record once, in each format, with and without cursors", () =>
  Effect.gen(function*() {
    expect(expected).toBeGreaterThan(250)
    for (const walletCursor of [true, false]) {
      const around = { sandbox: { scale, walletCursor } }
      const lines = yield* quarry([...listArgs, "--all", "--sandbox"], around)
      expect(lines.code).toBe(0)
      expect(new Set(ids(lines.out)).size).toBe(expected)
      expect(ids(lines.out)).toHaveLength(expected)
      expect(lines.writes.length).toBeGreaterThan(2)
      const array = yield* quarry([...listArgs, "--all", "--sandbox", "-o", "json"], around)
      expect(JSON.parse(array.out)).toEqual(records(lines.out))
      const table = yield* quarry([...listArgs, "--all", "--sandbox", "-o", "table"], around)
      expect(table.out.trimEnd().split("\n")).toHaveLength(expected + 1)
    }
  }))

it.live("goes on where a page or a bound ended, also with cursors of its own", () =>
  Effect.gen(function*() {
    for (const walletCursor of [true, false]) {
      const around = { sandbox: { scale, walletCursor } }
      const all = ids((yield* quarry([...listArgs, "--all", "--sandbox"], around)).out)
      // Without cursors a page has to be longer than any block
      const limit = walletCursor ? "7" : "60"
      const first = yield* quarry([...listArgs, "--limit", limit, "--sandbox"], around)
      expect(first.err).toMatch(/there are more transfers: read all with --all, or go on with --cursor/)
      const rest = yield* quarry([
        ...listArgs,
        "--limit",
        limit,
        "--all",
        "--cursor",
        cursorIn(first.err),
        "--sandbox"
      ], around)
      expect([...ids(first.out), ...ids(rest.out)]).toEqual(all)
    }
    const some = yield* quarry([...listArgs, "--max-items", "150", "--sandbox"], { sandbox })
    expect(ids(some.out)).toHaveLength(150)
    expect(some.err).toMatch(
      /stopped after 150 transfers; go on with --cursor \S+ \(the last 50 of them come again\)/
    )
    const few = yield* quarry([...listArgs, "--max-items", "5", "--sandbox"], { sandbox })
    expect(ids(few.out)).toHaveLength(5)
    expect(few.err).toMatch(/stopped after 5 transfers; go on with --cursor \S+\n/)
  }))

it.live("says after a break how much came and where to resume", () =>
  Effect.gen(function*() {
    const all = ids((yield* quarry([...listArgs, "--all", "--sandbox"], { sandbox })).out)
    const broken = yield* quarry([...listArgs, "--limit", "5", "--all", "--timeout", "700ms"], {
      env: sandboxEnvironment,
      sandbox: { scale, faults: [{ fault: { delay: 200 } }] }
    })
    expect(broken.code).toBe(7)
    const printed = ids(broken.out)
    expect(broken.err).toContain(`broke off after ${printed.length} transfers; resume with --cursor`)
    const rest = yield* quarry([
      ...listArgs,
      "--limit",
      "5",
      "--all",
      "--cursor",
      cursorIn(broken.err),
      "--sandbox"
    ], { sandbox })
    expect([...printed, ...ids(rest.out)]).toEqual(all)
  }))

it.live("says that a list is empty, and prints nothing", () =>
  Effect.gen(function*() {
    const { emptyWallet } = Ledger.make({ seed: 1 }).examples
    const table = yield* quarry(["wallet", "transfers", emptyWallet, "--sandbox", "-o", "table"])
    expect(table).toMatchObject({ code: 0, out: "" })
    expect(table.err).toContain("no transfers")
    const array = yield* quarry(["wallet", "transfers", emptyWallet, "--sandbox", "-o", "json", "--all"])
    expect(JSON.parse(array.out)).toEqual([])
  }))

it.live("warns of the order of holders off eth, and finds the largest itself", () =>
  Effect.gen(function*() {
    const ledger = Ledger.make({ seed: 1, scale })
    const polygon = ledger.chains.get("polygon")
    const token = [...polygon?.tokens.keys() ?? []][0] ?? ""
    const owners = ["token", "owners", token, "--chain", "polygon", "--sandbox"]
    const listed = yield* quarry(owners, { sandbox })
    expect(listed.err).toMatch(/known issue.*faulty order.*--largest/)
    const every = records((yield* quarry([...owners, "--all"], { sandbox })).out)
    const largest = yield* quarry([...owners, "--largest", "3"], { sandbox })
    expect(largest.err).not.toContain("known issue")
    const balances = (all: ReadonlyArray<Record<string, unknown>>) =>
      all.map(({ balance }) => BigInt(String(balance)))
    const sorted = [...balances(every)].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))
    expect(balances(records(largest.out))).toEqual(sorted.slice(0, 3))
  }))

it.live("says that a collection is being indexed, and waits for it", () =>
  Effect.gen(function*() {
    const list = ["nft", "list", exampleValues.unindexed, "--sandbox"]
    const now = yield* quarry(list)
    expect(now.err).toMatch(/SYNCING.*--wait/)
    const late = yield* quarry([...list, "--wait", "--timeout", "300ms"], {
      sandbox: { syncAfter: { duration: "1 hour" } }
    })
    expect(late.code).toBe(7)
    const waited = yield* quarry([...list, "--wait"], { sandbox: { syncAfter: { reads: 1 } } })
    expect(waited.code).toBe(0)
    expect(records(waited.out).length).toBeGreaterThan(0)
    expect(waited.err).not.toContain("SYNCING")
  }), 20_000)
