/** Lists that continue where they stopped. How they print is in the golden record `lists`. */
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import * as Page from "@blockquarry/core/Page"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { quarry, sandboxEnvironment, transferIds } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const scale = 300
const { busyWallet } = Ledger.make({ seed: 1, scale }).examples

const listArgs = ["wallet", "transfers", busyWallet, "--chain", "eth"]

/** Returns the words of the command that continues a list. It stands on its own line. */
const continuation = (err: string): ReadonlyArray<string> =>
  (/^  quarry (.*)$/m.exec(err)?.[1] ?? "").split(" ")

it.live.each([true, false])(
  "continues inside a page as often as needed; cursors of the service: %s",
  (walletTransfersCursor) =>
    Effect.gen(function*() {
      const options = { sandbox: { scale, walletTransfersCursor } }
      const all = transferIds((yield* quarry([...listArgs, "--all", "--sandbox"], options)).out)
      const printed: Array<string> = []
      let argv: ReadonlyArray<string> = [...listArgs, "--max-items", "37", "--limit", "60", "--sandbox"]
      while (argv.length > 1) {
        const { err, out } = yield* quarry(argv, options)
        expect(err).not.toContain("repeated")
        printed.push(...transferIds(out))
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
