#!/usr/bin/env node
/** The process: arguments, environment, streams and signals. Everything else is an effect that is given them. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import { readFileSync } from "node:fs"
import { run } from "./Cli.ts"
import { interrupted } from "./Failure.ts"
import * as NodeNetwork from "./NodeNetwork.ts"
import * as NodeScreen from "./NodeScreen.ts"
import { Screen } from "./Screen.ts"

// Beside `src` and beside `dist`
const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const version = Predicate.isRecord(manifest) ? String(manifest["version"]) : ""

run(process.argv.slice(2), version).pipe(
  Effect.provide(NodeNetwork.layer),
  Effect.provideService(Screen, NodeScreen.make(process, process.env)),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, end) => end(Exit.isSuccess(exit) ? Number(exit.value) : interrupted)
  })
)
