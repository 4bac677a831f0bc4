/** The eleven commands over the sandbox. */
import { allOperations } from "@blockquarry/core/Operations"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globalOptions } from "../src/args/GlobalOptions.ts"
import { kebabCase } from "../src/args/KebabCase.ts"
import { commands } from "../src/commands/Commands.ts"
import { exampleValues } from "../src/Help.ts"
import { quarry, records } from "./support/quarry.ts"

const cases: ReadonlyArray<{ readonly line: string; readonly header: string; readonly member: string }> = [
  {
    line: `wallet transfers ${exampleValues.wallet} --limit 3`,
    header: "amount",
    member: "transaction_hash"
  },
  { line: `wallet nft-trades ${exampleValues.wallet} --limit 3`, header: "seller", member: "token_ids" },
  {
    line: `wallet chains ${exampleValues.wallet} --chains eth,polygon-amoy`,
    header: "chain",
    member: "active_chains"
  },
  { line: `token transfers ${exampleValues.token} --limit 3`, header: "amount", member: "log_index" },
  { line: `token owners ${exampleValues.token} --limit 3`, header: "owner", member: "balance" },
  {
    line: `token price ${exampleValues.token} --include percent_change`,
    header: "usdPrice",
    member: "24hrPercentChange"
  },
  { line: `nft list ${exampleValues.collection} --limit 3`, header: "token id", member: "token_uri" },
  { line: `nft get ${exampleValues.collection} 1`, header: "token_uri", member: "minter_address" },
  { line: `nft owners ${exampleValues.collection} 1`, header: "owner", member: "owner_of" },
  { line: `stream set-status ${exampleValues.stream} paused`, header: "statusMessage", member: "webhookUrl" },
  { line: `ledger tx ${exampleValues.transaction}`, header: "sender", member: "payload" }
]

it("has a command for every operation, with an option or an argument for each of its parameters", () => {
  for (const operation of allOperations) {
    const entry = commands.find((one) => one.operation === operation.id)
    const names = [...entry?.options ?? [], ...entry?.arguments ?? []].map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(operation.parameters.map(({ name }) => kebabCase(name))))
  }
  expect(cases).toHaveLength(allOperations.length)
})

it("takes the key nowhere", () => {
  const names = [...globalOptions, ...commands.flatMap(({ options }) => options)].map(({ name }) => name)
  expect(names.filter((name) => /key|token$|secret|auth/.test(name))).toEqual([])
})

it("shows examples that the sandbox has", () => {
  const { examples } = Ledger.make({ seed: 1 })
  expect(exampleValues).toEqual({
    wallet: examples.wallet,
    token: examples.token,
    collection: examples.collection721,
    unindexed: examples.unindexedCollection,
    stream: examples.stream,
    transaction: examples.transaction
  })
})

for (const { header, line, member } of cases) {
  it.live(`quarry ${line.split(" ").slice(0, 2).join(" ")}`, () =>
    Effect.gen(function*() {
      const argv = line.split(" ")
      const table = yield* quarry([...argv, "--sandbox"], { terminal: 80 })
      expect(table).toMatchObject({ code: 0, out: expect.stringContaining(header) })
      expect(table.err).toContain("SANDBOX")
      expect(Math.max(...table.out.split("\n").map((text) => text.length))).toBeLessThanOrEqual(80)
      const lines = yield* quarry(["--sandbox", ...argv])
      expect(lines.code).toBe(0)
      const all = records(lines.out)
      expect(all.length).toBeGreaterThan(0)
      for (const record of all) expect(record).toHaveProperty([member])
      const json = yield* quarry([argv[0] ?? "", "--sandbox", ...argv.slice(1), "-o", "json"])
      const whole = JSON.parse(json.out)
      if (
        commands.find(({ path: words }) => words.join(" ") === argv.slice(0, 2).join(" "))?.options.some((
          { name }
        ) => name === "all")
      ) {
        expect(whole).toHaveProperty("cursor")
        expect(whole.result).toEqual(all)
      } else {
        expect(whole).toEqual(all[0])
      }
    }))
}

it.live("every example runs over the sandbox", () =>
  Effect.forEach(commands.filter(({ operation }) => operation !== null), (entry) =>
    Effect.gen(function*() {
      const help = yield* quarry([...entry.path, "--help"])
      expect(help.code).toBe(0)
      const examples = help.out.split("\n").filter((line) =>
        line.startsWith(`  quarry ${entry.path.join(" ")} `) && !line.includes("[options]")
      )
      expect(examples).toHaveLength(entry.examples.length)
      for (const example of examples) {
        const ran = yield* quarry([...example.trim().split(" ").slice(1), "--sandbox"], {
          sandbox: { scale: 200, syncAfter: { reads: 1 } }
        })
        expect([example, ran.code, ran.err]).toEqual([example, 0, expect.not.stringContaining("error")])
      }
    })))
