/** Connects the command line to the arguments, environment, streams and signals of the process. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { run } from "./Cli.ts"
import * as HttpTransport from "./connection/HttpTransport.ts"
import { signalExitCodes, unexpectedErrorExitCode } from "./errors/CommandError.ts"
import type { CommandLineToRun } from "./invocation/Arrange.ts"
import * as NodeTerminal from "./terminal/NodeTerminal.ts"
import { makePager, Pager } from "./terminal/Pager.ts"
import { type Signal, signals } from "./terminal/Signals.ts"
import { CommandTerminal, drainTime } from "./terminal/Terminal.ts"

/** Runs a command. The first signal interrupts it, and the second one ends the process at once. */
export const runProgram = (line: CommandLineToRun): void => {
  let received: Signal = "SIGINT"
  const onSignal = (signal: Signal) => {
    received = signal
    for (const each of signals) process.removeListener(each, onSignal)
    // The runtime listens to the others
    if (signal === "SIGHUP") process.emit("SIGTERM", "SIGTERM")
  }
  for (const each of signals) process.on(each, onSignal)
  run(line).pipe(
    Effect.provide(HttpTransport.layer),
    Effect.provideService(CommandTerminal, NodeTerminal.make(process, process.env)),
    Effect.provideService(Pager, makePager(process.env, process.platform)),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      disablePrettyLogger: true,
      teardown: (exit) => {
        if (Exit.isSuccess(exit)) return exitWhenWritten(Number(exit.value))
        if (Cause.isInterruptedOnly(exit.cause)) return exitWhenWritten(signalExitCodes[received])
        process.stderr.write(`error: internal error: ${Cause.pretty(exit.cause)}\n`)
        exitWhenWritten(unexpectedErrorExitCode)
      }
    })
  )
}

/** Exits when stderr has accepted all messages. The end of the process would lose those that a full pipe holds up. */
const exitWhenWritten = (code: number): void => {
  // What the reader of stdout did not take in time is not counted. Neither it nor an open input keeps the process
  const exit = () => process.exit(code)
  process.stderr.write("", exit)
  setTimeout(exit, drainTime).unref()
}
