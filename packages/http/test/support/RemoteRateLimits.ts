/** A shared store of rate limits that can be unavailable or slow. */
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"

/** Creates the store, what it contains, and the stores of processes that use it. */
export const withBackend = (processes: number, whenUnavailable?: RateLimitStore.WhenUnavailable) =>
  Effect.gen(function*() {
    const memory = yield* RateLimitStore.memory
    const state = { unavailable: false, replyMillis: 0, processes }
    const reply = <A>(command: Effect.Effect<A>): Effect.Effect<A, StoreError> =>
      Effect.suspend(() =>
        state.unavailable
          ? Effect.fail(new StoreError({ reason: "refused" }))
          : state.replyMillis === 0
          ? command
          : Effect.delay(command, state.replyMillis)
      )
    const process = RateLimitStore.withFallback({
      acquire: (...args) => reply(memory.acquire(...args)),
      release: (...args) => reply(memory.release(...args)),
      startCooldown: (...args) => reply(memory.startCooldown(...args)),
      settleTrial: (...args) => reply(memory.settleTrial(...args)),
      consume: (...args) => reply(memory.consume(...args)),
      refund: (...args) => reply(memory.refund(...args)),
      peek: (...args) => reply(memory.peek(...args)),
      heartbeat: reply(Effect.sync(() => state.processes))
    }, { whenUnavailable })
    return { memory, process, state, store: yield* process }
  })
