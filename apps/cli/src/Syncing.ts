/** Collections that are still being indexed: saying so, and waiting for them. */
import type { QueryError } from "@blockquarry/core/QueryError"
import type { Ask } from "@blockquarry/http/Client"
import { whenSynced } from "@blockquarry/http/Synced"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Failure } from "./Failure.ts"
import { type Call, isOn, type OptionSpec } from "./line/Entry.ts"
import { Screen } from "./Screen.ts"

export const waitOption: OptionSpec = {
  name: "wait",
  value: null,
  description: "wait until the collection is indexed; two minutes, or as long as --timeout allows"
}

/** What to say of an answer that is not complete yet. */
export const remark = (answer: { readonly status?: string | null }): string | null =>
  answer.status === "SYNCING"
    ? "this collection is being indexed (SYNCING): what follows may be incomplete. --wait waits for all of it"
    : null

/** Asks until the collection is indexed. Where `--timeout` is given it is the only limit. */
export const synced = <A extends object>(
  ask: Effect.Effect<A, QueryError>,
  call: Call,
  awaitNotFound: boolean
): Effect.Effect<A, Failure, Screen> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    yield* screen.progress("waiting until the collection is indexed")
    const deadline = call.settings.timeout === null ? Duration.minutes(2) : Duration.infinity
    return yield* whenSynced(ask, { deadline, awaitNotFound }).pipe(
      Effect.ensuring(screen.progress(null))
    )
  })

/** Waits where `--wait` was given. */
export const beforeList = <Accepts, A extends object>(
  ask: Ask<Accepts, A>,
  written: Accepts,
  call: Call
): Effect.Effect<void, Failure, Screen> =>
  isOn(call.values, waitOption.name) ? synced(ask(written), call, false) : Effect.void
