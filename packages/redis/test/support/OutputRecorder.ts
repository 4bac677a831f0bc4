/** Records all output: log lines, and what libraries write to the console. */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type * as Scope from "effect/Scope"
import { inspect } from "node:util"

export interface OutputRecorder {
  readonly output: Array<string>
  readonly record: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Formats a value with all its nested and hidden properties. */
export const inspectDeep = (value: unknown): string =>
  inspect(value, { depth: 10, showHidden: true, maxStringLength: null, maxArrayLength: null })

const levels = ["log", "info", "warn", "error", "debug"] as const

export const make: Effect.Effect<OutputRecorder, never, Scope.Scope> = Effect.gen(function*() {
  const output: Array<string> = []
  const before = { ...console }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      for (const level of levels) {
        console[level] = (...values: ReadonlyArray<unknown>) => output.push(inspectDeep(values))
      }
    }),
    () => Effect.sync(() => Object.assign(console, before))
  )
  const logger = Logger.make((line) => {
    output.push(Logger.logfmtLogger.log(line), inspectDeep(Logger.structuredLogger.log(line)))
  })
  return {
    output,
    record: (effect) =>
      effect.pipe(
        Logger.withMinimumLogLevel(LogLevel.All),
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
  }
})
