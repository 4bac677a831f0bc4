#!/usr/bin/env node
/** `quarry-proxy`: from the command line to a running proxy, and out again with an exit code. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Arguments from "./Arguments.ts"
import * as Backend from "./Backend.ts"
import * as Config from "./Config.ts"
import * as Log from "./Log.ts"
import * as Proxy from "./Proxy.ts"
import type { ListenFailed } from "./Server.ts"
import * as Welcome from "./Welcome.ts"

/** The program ends: what is said on standard error, and the exit code. */
class Quit extends Data.TaggedError("Quit")<{ readonly message: string; readonly exitCode: 1 | 2 }> {}

const misused = (message: string) =>
  new Quit({ message: `quarry-proxy: ${message}\nTry --help.`, exitCode: 2 })

const cannotListen = ({ host, port, reason }: ListenFailed) => {
  const problem = reason === "EADDRINUSE"
    ? `it is in use; choose another with --port or ${Config.own.port} (0 takes a free one)`
    : reason === "EACCES"
    ? `this user may not; choose a port above 1023 with --port or ${Config.own.port}`
    : reason === "EADDRNOTAVAIL" || reason === "ENOTFOUND" || reason === "EAI_AGAIN"
    ? `this machine has no such address (${reason}); choose another with --host or ${Config.own.host}`
    : reason
  return new Quit({
    message: `quarry-proxy: cannot listen on port ${port} of ${host}: ${problem}`,
    exitCode: 1
  })
}

const program = Effect.gen(function*() {
  const { given, help } = yield* Effect.mapError(Arguments.parse(process.argv.slice(2)), misused)
  if (help) return yield* Console.log(Arguments.help)
  const settings = yield* Config.settings.pipe(
    Effect.withConfigProvider(ConfigProvider.orElse(given, () => ConfigProvider.fromEnv())),
    Effect.mapError((error) => misused(Config.problems(error).join("\n")))
  )
  const backend = yield* Backend.fromSettings(settings)
  const options = { host: settings.host, port: settings.port, grace: Duration.seconds(5) }
  const port = yield* Effect.mapError(Proxy.serve(backend, options), cannotListen)
  yield* Console.log(Welcome.text(settings, port, backend.examples))
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.tapErrorCause((cause) => {
    const failure = Cause.failureOption(cause)
    return Option.isSome(failure)
      ? Console.error(failure.value.message)
      : Effect.logError("the proxy failed", cause)
  }),
  Effect.provide(Log.layer)
)

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  teardown: (exit, onExit) => {
    if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return onExit(0)
    const failure = Cause.failureOption(exit.cause)
    onExit(Option.isSome(failure) && failure.value instanceof Quit ? failure.value.exitCode : 1)
  }
})
