/** Runs the commands that need no process in this one, with an in-memory file system. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as CommandLine from "../../src/cli/CommandLine.ts"
import * as Commands from "../../src/cli/Commands.ts"
import * as ExitError from "../../src/runtime/ExitError.ts"
import { fakeFileSystem } from "../config/support.ts"
import type { Ended } from "../support/Process.ts"
import type { Case } from "./cases.ts"
import { version } from "./records.ts"

/** Runs a command other than `serve` as the program does. */
export const run = (input: Case): Promise<Ended> => {
  const written = { stdout: "", stderr: "" }
  const program = Effect.gen(function*() {
    const line = CommandLine.read(input.args, version)
    if (line._tag === "Information") return yield* Console.log(line.text)
    if (line._tag === "Invalid") return yield* ExitError.usageError(line.reason)
    const { command, optionValues } = line
    if (command._tag === "Serve") return yield* Effect.dieMessage("serve is run as a process")
    return yield* Commands.run(command, { optionValues, env: input.env })
  }).pipe(
    Effect.tapErrorTag("ExitError", ({ message }) => Console.error(message)),
    Effect.match({ onFailure: ({ exitCode }): number => exitCode, onSuccess: () => 0 }),
    Effect.provide(fakeFileSystem(input.files))
  )
  const captured = Effect.flatMap(Effect.console, (console) =>
    Effect.withConsole(program, {
      ...console,
      log: (...words) => Effect.sync(() => void (written.stdout += `${words.join(" ")}\n`)),
      error: (...words) => Effect.sync(() => void (written.stderr += `${words.join(" ")}\n`))
    }))
  return Effect.runPromise(Effect.map(captured, (code) => ({ code, ...written })))
}
