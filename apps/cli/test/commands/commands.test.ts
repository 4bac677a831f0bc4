/** All commands, run with the sandbox. */
import { allOperations } from "@blockquarry/core/Operations"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globalOptions } from "../../src/args/GlobalOptions.ts"
import { loadCommands } from "../../src/commands/Commands.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { exampleLines } from "../../src/help/Help.ts"
import { kebabCase } from "../../src/text/KebabCase.ts"
import { words } from "../golden/cases.ts"
import { directories } from "../support/directories.ts"

const commands = await loadCommands()

it("has a command for every operation, with an option or an argument for each of its parameters", () => {
  for (const operation of allOperations) {
    const command = commands.find((candidate) => candidate.operation === operation.id)
    const names = [...command?.options ?? [], ...command?.arguments ?? []].map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(operation.parameters.map(({ name }) => kebabCase(name))))
  }
})

it("has no option for the API key", () => {
  const names = [...globalOptions, ...commands.flatMap(({ options }) => options)].map(({ name }) => name)
  expect(names.filter((name) => /key|token$|secret|auth/.test(name))).toEqual([])
})

/** Another program may listen on the default port, and files belong into the project. */
const inProject = (line: string, project: string): string =>
  line.replace(/sandbox serve$/, "$& --port 0").replace(/--(?:to|state) /, `$&${project}/`)

/** Commands of a group share their configuration: a setting is set before it is read or removed. */
const rank = (path: ReadonlyArray<string>): number =>
  ["set", "get", "list", "unset"].indexOf(path.at(-1) ?? "")

const groups = new Set(commandLine.commands.map(({ path: [group] }) => group))

it.live.each([...groups])(
  "runs every example of quarry %s with the sandbox",
  (group) =>
    Effect.gen(function*() {
      const { project, run } = yield* directories
      const commands = commandLine.commands.filter(({ path }) => path[0] === group)
      for (const command of commands.toSorted((a, b) => rank(a.path) - rank(b.path))) {
        const examples = exampleLines(command)
        if (command.operation !== null) expect(examples).not.toEqual([])
        for (const example of examples) {
          const captured = { out: "", err: "", progressCount: 0 }
          const ended = yield* Effect.raceFirst(
            run(words(inProject(example, project)).slice(1), {
              captured,
              env: { QUARRY_SANDBOX: "1" },
              sandbox: { scale: 200, syncAfter: { reads: 1 } }
            }),
            Effect.as(
              Effect.repeat(Effect.sleep("2 millis"), {
                until: () =>
                  command.runsUntilInterrupted === true && /http|watching/.test(captured.out + captured.err)
              }),
              { code: 0 }
            )
          )
          expect([example, ended.code, captured.err]).toEqual([
            example,
            0,
            expect.not.stringContaining("error")
          ])
        }
      }
    })
)
