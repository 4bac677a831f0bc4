/** Collections that are still being indexed: saying so, and waiting for them. */
import type { OperationError } from "@blockquarry/core/OperationError"
import type { OperationFunction } from "@blockquarry/http/ApiClient"
import * as Sync from "@blockquarry/http/Sync"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type CommandInvocation, isEnabled, type OptionSpec } from "./args/CommandSpec.ts"
import type { CommandError } from "./CommandError.ts"
import { CommandTerminal } from "./Terminal.ts"

export const waitOption: OptionSpec = {
  name: "wait",
  value: null,
  description: "wait until the collection is indexed; two minutes, or as long as --timeout allows"
}

/** What to say of an answer that is not complete yet. */
export const pageNote = (page: { readonly status?: string | null }): string | null =>
  page.status === "SYNCING"
    ? "this collection is being indexed (SYNCING): what follows may be incomplete. --wait waits for all of it"
    : null

/** Asks until the collection is indexed. Where `--timeout` is given it is the only limit. */
export const waitUntilSynced = <A extends object>(
  operation: Effect.Effect<A, OperationError>,
  invocation: CommandInvocation,
  retryNotFound: boolean
): Effect.Effect<A, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const screen = yield* CommandTerminal
    yield* screen.progress("waiting until the collection is indexed")
    const deadline = invocation.settings.timeout === null ? Duration.minutes(2) : Duration.infinity
    return yield* Sync.waitUntilSynced(operation, { timeout: deadline, retryNotFound }).pipe(
      Effect.ensuring(screen.progress(null))
    )
  })

/** Waits where `--wait` was given. */
export const waitBeforeList = <InputEncoded, A extends object>(
  operation: OperationFunction<InputEncoded, A>,
  encoded: InputEncoded,
  invocation: CommandInvocation
): Effect.Effect<void, CommandError, CommandTerminal> =>
  isEnabled(invocation.values, waitOption.name)
    ? waitUntilSynced(operation(encoded), invocation, false)
    : Effect.void
