/** Notes about collections that are still being indexed, and the option to wait for them. */
import type { OperationError } from "@blockquarry/core/OperationError"
import type { OperationFunction } from "@blockquarry/http/ApiClient"
import * as Sync from "@blockquarry/http/Sync"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { isEnabled } from "../args/ArgumentValues.ts"
import { switchOption } from "../args/CommandOption.ts"
import type { CommandError } from "../errors/CommandError.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"

export const waitOption = switchOption(
  "wait",
  "Wait until the collection is indexed (default: up to 2m, or --timeout)"
)

export const pageNote = (page: { readonly status?: string | null }): string | null =>
  page.status === "SYNCING"
    ? "the collection is being indexed (SYNCING); results may be incomplete; use --wait to wait"
    : null

/** Repeats the operation until the collection is indexed: for `--timeout`, or for 2 minutes by default. */
export const waitUntilSynced = <A extends object>(
  operation: Effect.Effect<A, OperationError>,
  invocation: CommandInvocation,
  retryNotFound: boolean
): Effect.Effect<A, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    yield* terminal.progress("waiting for the collection to be indexed")
    const deadline = invocation.settings.timeout === null ? Duration.minutes(2) : Duration.infinity
    return yield* Sync.waitUntilSynced(operation, { timeout: deadline, retryNotFound }).pipe(
      Effect.ensuring(terminal.progress(null))
    )
  })

/** Waits for the collection if `--wait` is set. */
export const waitBeforeList = <InputEncoded, A extends object>(
  operation: OperationFunction<InputEncoded, A>,
  encoded: InputEncoded,
  invocation: CommandInvocation
): Effect.Effect<void, CommandError, CommandTerminal> =>
  isEnabled(invocation.values, waitOption.name)
    ? waitUntilSynced(operation(encoded), invocation, false)
    : Effect.void
