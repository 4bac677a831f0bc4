/** Connects the command line to the arguments, environment, streams and signals of the process. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { run } from "./Cli.ts"
import { interruptedExitCode } from "./CommandError.ts"
import * as NodeHttpTransport from "./NodeHttpTransport.ts"
import * as NodePager from "./NodePager.ts"
import * as NodeTerminal from "./NodeTerminal.ts"
import { Pager } from "./render/Pager.ts"
import { CommandTerminal } from "./Terminal.ts"

/** Runs a command. The second interruption ends the process at once. */
export const runProgram = (argv: ReadonlyArray<string>, version: string): void =>
  run(argv, version).pipe(
    Effect.provide(NodeHttpTransport.layer),
    Effect.provideService(CommandTerminal, NodeTerminal.make(process, process.env, argv)),
    Effect.provideService(Pager, NodePager.make(process.env, process.platform)),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      disablePrettyLogger: true,
      teardown: (exit, end) => end(Exit.isSuccess(exit) ? Number(exit.value) : interruptedExitCode)
    })
  )
