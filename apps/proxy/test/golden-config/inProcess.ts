/** Runs the commands that need no process in this one, with an in-memory file system. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Arguments from "../../src/cli/Arguments.ts"
import * as ConfigCommands from "../../src/cli/ConfigCommands.ts"
import * as ExitError from "../../src/runtime/ExitError.ts"
import { fakeFileSystem } from "../config/support.ts"
import type { Case } from "./cases.ts"
import { type Ended, version } from "./records.ts"

const filesOf = ({ files }: Case) =>
  fakeFileSystem(Object.fromEntries(
    [...files].map(([path, { bytes, isDirectory, mode }]) => [
      isDirectory ? `${path}/` : path,
      bytes === null ? null : { text: bytes, mode: 0o100000 | mode }
    ])
  ))

/** Runs a command other than `serve` and `token` as the program does. */
export const run = (input: Case): Promise<Ended> => {
  const written = { stdout: "", stderr: "" }
  const program = Effect.gen(function*() {
    const { command, optionValues } = yield* Effect.mapError(
      Arguments.parse(input.args),
      ExitError.usageError
    )
    const options = { optionValues, env: input.env }
    switch (command._tag) {
      case "Help":
        return yield* Console.log(Arguments.help)
      case "Version":
        return yield* Console.log(version)
      case "CheckConfig":
        return yield* ConfigCommands.check(options, command)
      case "PrintConfig":
        return yield* ConfigCommands.print(options)
      case "ExampleConfig":
        return yield* ConfigCommands.example
      default:
        return yield* Effect.dieMessage(`${command._tag} is run as a process`)
    }
  }).pipe(
    Effect.tapErrorTag("ExitError", ({ message }) => Console.error(message)),
    Effect.match({ onFailure: ({ exitCode }): number => exitCode, onSuccess: () => 0 }),
    Effect.provide(filesOf(input))
  )
  const captured = Effect.flatMap(Effect.console, (console) =>
    Effect.withConsole(program, {
      ...console,
      log: (...words) => Effect.sync(() => void (written.stdout += `${words.join(" ")}\n`)),
      error: (...words) => Effect.sync(() => void (written.stderr += `${words.join(" ")}\n`))
    }))
  return Effect.runPromise(Effect.map(captured, (code) => ({ code, ...written })))
}
