/** Lists: single pages, all pages, limits, and resuming after an error. */
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import * as Page from "@blockquarry/core/Page"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { quarry, records, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const scale = 300
const { busyWallet } = Ledger.make({ seed: 1, scale }).examples
const expected = Ledger.make({ seed: 1, scale }).chains.get("eth")?.walletTransfers(busyWallet).length ?? 0

const listArgs = ["wallet", "transfers", busyWallet, "--chain", "eth"]
const sandbox = { scale }

/** Returns the words of the command that continues a list. It stands on its own line. */
const continuation = (err: string): ReadonlyArray<string> =>
  (/^  quarry (.*)$/m.exec(err)?.[1] ?? "").split(" ")

const ids = (out: string): ReadonlyArray<string> =>
  records(out).map(({ log_index, transaction_hash }) => `${String(transaction_hash)}:${String(log_index)}`)

it.live("prints every record once, in each format, with and without cursors", () =>
  Effect.gen(function*() {
    expect(expected).toBeGreaterThan(250)
    for (const walletTransfersCursor of [true, false]) {
      const options = { sandbox: { scale, walletTransfersCursor } }
      const lines = yield* quarry([...listArgs, "--all", "--sandbox"], options)
      expect(lines.code).toBe(0)
      expect(new Set(ids(lines.out)).size).toBe(expected)
      expect(ids(lines.out)).toHaveLength(expected)
      expect(lines.writes.length).toBeGreaterThan(2)
      const array = yield* quarry([...listArgs, "--all", "--sandbox", "-o", "json"], options)
      expect(JSON.parse(array.out)).toEqual(records(lines.out))
      const table = yield* quarry([...listArgs, "--all", "--sandbox", "-o", "table"], options)
      expect(table.out.trimEnd().split("\n")).toHaveLength(expected + 1)
    }
  }))

it.live("continues after a page or a limit, also with block cursors", () =>
  Effect.gen(function*() {
    for (const walletTransfersCursor of [true, false]) {
      const options = { sandbox: { scale, walletTransfersCursor } }
      const all = ids((yield* quarry([...listArgs, "--all", "--sandbox"], options)).out)
      // With block cursors a page must hold all records of a block
      const limit = walletTransfersCursor ? "7" : "60"
      const first = yield* quarry([...listArgs, "--limit", limit, "--sandbox"], options)
      expect(first.err).toMatch(/more transfers available: use --all, or continue with:\n  quarry /)
      const rest = yield* quarry([...continuation(first.err), "--all"], options)
      expect([...ids(first.out), ...ids(rest.out)]).toEqual(all)
    }
    const some = yield* quarry([...listArgs, "--max-items", "150", "--sandbox"], { sandbox })
    const curl = yield* quarry([...continuation(some.err), "--curl"], { sandbox })
    expect(curl.out).toMatch(/cursor=ey[^&]+/)
  }))

it.live.each([true, false])(
  "continues inside a page as often as needed; cursors of the service: %s",
  (walletTransfersCursor) =>
    Effect.gen(function*() {
      const options = { sandbox: { scale, walletTransfersCursor } }
      const all = ids((yield* quarry([...listArgs, "--all", "--sandbox"], options)).out)
      const printed: Array<string> = []
      let argv: ReadonlyArray<string> = [...listArgs, "--max-items", "37", "--limit", "60", "--sandbox"]
      while (argv.length > 1) {
        const { err, out } = yield* quarry(argv, options)
        expect(err).not.toContain("repeated")
        printed.push(...ids(out))
        argv = continuation(err)
      }
      expect(printed).toEqual(all)
    })
)

it.effect("says after one page that there is more, unless the service says how many there are", () =>
  Effect.gen(function*() {
    const page = walletTransfers.encode(Page.example([Erc20Transfer.example({})]))
    const errorsOf = (total: number | null) =>
      quarry(["wallet", "transfers", busyWallet], {
        client: respondingWith(JSON.stringify({ ...page, cursor: undefined, total })).client,
        env: sandboxEnvironment
      }).pipe(Effect.map(({ err }) => err))
    expect(yield* errorsOf(1)).toBe("")
    for (const total of [2, null]) expect(yield* errorsOf(total)).toContain("more transfers available")
  }))
