#!/usr/bin/env node
/** Entry point: connects the command line to the arguments, environment, streams and signals of the process. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import { readFileSync } from "node:fs"
import { run } from "./Cli.ts"
import { interruptedExitCode } from "./CommandError.ts"
import * as NodeHttpTransport from "./NodeHttpTransport.ts"
import * as NodeTerminal from "./NodeTerminal.ts"
import { CommandTerminal } from "./Terminal.ts"

// One folder above `src` and `dist`
const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const version = Predicate.isRecord(manifest) ? String(manifest["version"]) : ""

run(process.argv.slice(2), version).pipe(
  Effect.provide(NodeHttpTransport.layer),
  Effect.provideService(CommandTerminal, NodeTerminal.make(process, process.env)),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, end) => end(Exit.isSuccess(exit) ? Number(exit.value) : interruptedExitCode)
  })
)
