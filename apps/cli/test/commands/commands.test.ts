/** All commands, run with the sandbox. */
import { allOperations } from "@blockquarry/core/Operations"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globalOptions } from "../../src/args/GlobalOptions.ts"
import { commandLoaders, loadCommands } from "../../src/commands/Commands.ts"
import { exampleValues } from "../../src/help/Help.ts"
import { kebabCase } from "../../src/text/KebabCase.ts"
import { quarry } from "../support/quarry.ts"

const commands = await loadCommands()

it("has a command for every operation, with an option or an argument for each of its parameters", () => {
  for (const operation of allOperations) {
    const command = commands.find((candidate) => candidate.operation === operation.id)
    const names = [...command?.options ?? [], ...command?.arguments ?? []].map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(operation.parameters.map(({ name }) => kebabCase(name))))
  }
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
