/** Several chains in one command. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { quarry, records, type RunOptions } from "../support/quarry.ts"

const scale = 120
const { emptyWallet, token, wallet } = Ledger.make({ seed: 1, scale }).examples

const run = (line: string, options: RunOptions = {}) =>
  quarry([...line.split(" "), "--sandbox"], { sandbox: { scale }, ...options })

it.live("reads the list of each chain once, by name or ID, and each record starts with its chain", () =>
  Effect.gen(function*() {
    const line = `wallet transfers ${wallet} --max-items 3`
    const alone = yield* Effect.forEach(
      ["eth", "polygon"],
      (chain) =>
        Effect.map(
          run(`${line} --chain ${chain}`),
          ({ out }) => records(out).map((record) => ({ chain, ...record }))
        )
    )
    expect(alone.map((list) => list.length)).toEqual([3, 3])
    const together = yield* run(`${line} --chain eth,polygon`)
    expect(together.code).toBe(0)
    expect(records(together.out)).toEqual(alone.flat())
    expect(Object.keys(records(together.out)[0] ?? {})[0]).toBe("chain")
    for (const chains of ["--chain 1 --chain 0x89 --chain polygon", "--chain ETH, --chain 137,eth"]) {
      expect((yield* run(`${line} ${chains}`)).out).toBe(together.out)
    }
    expect((yield* run(`${line} --chain 137`)).out).toBe((yield* run(`${line} --chain polygon`)).out)
    const ids = yield* run(`wallet chains ${wallet} --chains 1,137`)
    expect(ids).toEqual(yield* run(`wallet chains ${wallet} --chains eth,polygon`))
  }))

it.live("has a column for the chain, after that of the input", () =>
  Effect.gen(function*() {
    const table = yield* run(`wallet transfers ${wallet} --limit 1 --chain eth,base-sepolia -o table`)
    expect(table.out.split("\n").map((line) => line.split(/ {2,}/)[0])).toEqual([
      "chain",
      "eth",
      "base sepolia",
      ""
    ])
    expect(table.err).toMatch(/^more transfers available: use --all$/m)
    expect((yield* run(`wallet transfers ${emptyWallet} --chain eth,polygon`)).err).not.toContain("more")
    const stdin = `${wallet}\n${emptyWallet}\n`
    const csv = yield* run("wallet transfers - --limit 1 --chain eth,polygon -o csv", { stdin })
    expect(csv.out.split("\r\n").map((line) => line.split(",").slice(0, 2))).toEqual([
      ["input", "chain"],
      [wallet, "eth"],
      [wallet, "polygon"],
      [""]
    ])
  }))

it.live("reports the chains that fail, and prints the records of the others", () =>
  Effect.gen(function*() {
    const partial = yield* run(`token price ${token} --chain eth,polygon`)
    expect(records(partial.out).map(({ chain, tokenAddress }) => [chain, tokenAddress])).toEqual([[
      "eth",
      token
    ]])
    expect(partial.code).toBe(8)
    expect(partial.err).toContain("1 of 2 chains failed:\n  polygon: not found (404)")
    expect(partial.err).toMatch(
      /error: 1 of 2 chains failed\nhint: repeat with --chain and the chains that failed\n$/
    )
    const none = yield* run(`token price ${token} --chain polygon,bsc --json-errors`)
    expect(none).toMatchObject({ code: 3, out: "" })
    expect(records(none.err.slice(none.err.indexOf("{")))).toMatchObject([
      { chain: "polygon", message: expect.stringContaining("not found") },
      { chain: "bsc", hint: expect.stringContaining("another chain") },
      { message: "2 of 2 chains failed", hint: null }
    ])
  }))
