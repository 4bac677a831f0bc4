/** Parses the command line, runs the command and sets the exit status. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { CommandLine } from "./cli/CommandLine.ts"
import * as Commands from "./cli/Commands.ts"
import * as ExitError from "./runtime/ExitError.ts"
import * as ProcessSettings from "./runtime/ProcessSettings.ts"
import * as Serve from "./runtime/Serve.ts"

const program = (line: CommandLine, version: string) =>
  Effect.gen(function*() {
    if (line._tag === "Invalid") return yield* ExitError.usageError(line.reason)
    const { command, optionValues } = line
    const options = { optionValues, env: process.env }
    if (command._tag !== "Serve") return yield* Commands.run(command, options)
    ProcessSettings.setV8Options([...process.execArgv, ...(process.env["NODE_OPTIONS"] ?? "").split(" ")])
    return yield* ProcessSettings.forServer(Serve.serve(options, version))
  }).pipe(
    Effect.scoped,
    Effect.tapErrorTag("ExitError", ({ message }) => Console.error(message)),
    Effect.provide(NodeFileSystem.layer)
  )

export const run = (line: CommandLine, version: string): void =>
  NodeRuntime.runMain(program(line, version), {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return onExit(0)
      const failure = Cause.failureOption(exit.cause)
      return onExit(
        Option.isSome(failure) && failure.value instanceof ExitError.ExitError ? failure.value.exitCode : 1
      )
    }
  })
