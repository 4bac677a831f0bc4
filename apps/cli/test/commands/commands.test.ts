/** All commands, run with the sandbox. */
import { allOperations } from "@blockquarry/core/Operations"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globalOptions } from "../../src/args/GlobalOptions.ts"
import { commandLoaders, loadCommands } from "../../src/commands/Commands.ts"
import { exampleValues } from "../../src/help/Help.ts"
import { kebabCase } from "../../src/text/KebabCase.ts"
import { quarry, records } from "../support/quarry.ts"

const commands = await loadCommands()

const cases: ReadonlyArray<{ readonly line: string; readonly header: string; readonly field: string }> = [
  {
    line: `wallet transfers ${exampleValues.wallet} --limit 3`,
    header: "amount",
    field: "transaction_hash"
  },
  { line: `wallet nft-trades ${exampleValues.wallet} --limit 3`, header: "side", field: "token_ids" },
  {
    line: `wallet chains ${exampleValues.wallet} --chains eth,polygon-amoy`,
    header: "chain",
    field: "active_chains"
  },
  { line: `token transfers ${exampleValues.token} --limit 3`, header: "amount", field: "log_index" },
  { line: `token owners ${exampleValues.token} --limit 3`, header: "owner", field: "balance" },
  {
    line: `token price ${exampleValues.token} --include percent_change`,
    header: "usdPrice",
    field: "24hrPercentChange"
  },
  { line: `nft list ${exampleValues.collection} --limit 3`, header: "token ID", field: "token_uri" },
  { line: `nft get ${exampleValues.collection} 1`, header: "token_uri", field: "minter_address" },
  { line: `nft owners ${exampleValues.collection} 1`, header: "owner", field: "owner_of" },
  { line: `stream set-status ${exampleValues.stream} paused`, header: "statusMessage", field: "webhookUrl" },
  { line: `ledger tx ${exampleValues.transaction}`, header: "sender", field: "payload" }
]

it("has a command for every operation, with an option or an argument for each of its parameters", () => {
  for (const operation of allOperations) {
    const command = commands.find((candidate) => candidate.operation === operation.id)
    const names = [...command?.options ?? [], ...command?.arguments ?? []].map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(operation.parameters.map(({ name }) => kebabCase(name))))
  }
  expect(cases).toHaveLength(allOperations.length)
})

it("loads each command by its name", async () => {
  for (const [name, load] of Object.entries(commandLoaders)) expect((await load()).path.join(" ")).toBe(name)
})

it("has no option for the API key", () => {
  const names = [...globalOptions, ...commands.flatMap(({ options }) => options)].map(({ name }) => name)
  expect(names.filter((name) => /key|token$|secret|auth/.test(name))).toEqual([])
})

it("uses values of the sandbox in examples", () => {
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

for (const { header, line, field } of cases) {
  it.live(`prints a table, NDJSON and JSON for quarry ${line.split(" ").slice(0, 2).join(" ")}`, () =>
    Effect.gen(function*() {
      const argv = line.split(" ")
      const table = yield* quarry([...argv, "--sandbox"], { terminal: 80 })
      expect(table).toMatchObject({ code: 0, out: expect.stringContaining(header) })
      expect(table.err).toContain("sandbox mode")
      expect(Math.max(...table.out.split("\n").map((text) => text.length))).toBeLessThanOrEqual(80)
      const lines = yield* quarry(["--sandbox", ...argv])
      expect(lines.code).toBe(0)
      const all = records(lines.out)
      expect(all.length).toBeGreaterThan(0)
      for (const record of all) expect(record).toHaveProperty([field])
      const json = yield* quarry([argv[0] ?? "", "--sandbox", ...argv.slice(1), "-o", "json"])
      const document = JSON.parse(json.out)
      if (
        commands.find(({ path }) => path.join(" ") === argv.slice(0, 2).join(" "))?.options.some((
          { name }
        ) => name === "all")
      ) {
        expect(document).toEqual(all)
      } else {
        expect(document).toEqual(all[0])
      }
    }))
}

it.live("runs every example with the sandbox", () =>
  // examples.test.ts runs and interrupts those that do not end
  Effect.forEach(
    commands.filter(({ operation, runsUntilInterrupted }) =>
      operation !== null && runsUntilInterrupted !== true
    ),
    (command) =>
      Effect.gen(function*() {
        const help = yield* quarry([...command.path, "--help"])
        expect(help.code).toBe(0)
        const examples = help.out.split("\n").filter((line) =>
          line.startsWith(`  quarry ${command.path.join(" ")} `) && !line.includes("[options]")
        )
        expect(examples).toHaveLength(command.examples.length)
        for (const example of examples) {
          const ran = yield* quarry([...example.trim().split(" ").slice(1), "--sandbox"], {
            sandbox: { scale: 200, syncAfter: { reads: 1 } }
          })
          expect([example, ran.code, ran.err]).toEqual([example, 0, expect.not.stringContaining("error")])
        }
      })
  ))
