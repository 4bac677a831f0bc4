/** Around every request: its id, its reply whatever happens, its line in the log. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import * as App from "./App.ts"
import * as Failure from "./Failure.ts"
import * as Log from "./Log.ts"
import type * as Reply from "./Reply.ts"
import type { Upstream } from "./Upstream.ts"

/** A client's own id is taken over only where it is harmless in a header and in a log. */
const requestId = (given: string | undefined): string =>
  given !== undefined && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID()

/** Written to the log for a client that hung up before its answer. */
const hungUp = 499

export const handle = (request: App.Request): Effect.Effect<Reply.Reply, never, Upstream> =>
  Effect.flatMap(Clock.currentTimeMillis, (started) => {
    const id = requestId(request.headers["x-request-id"])
    const { reply, route } = App.route(request)
    const log = (status: number) => Log.request({ method: request.method, route, status, id }, started)
    return reply.pipe(
      Effect.catchTag("Failure", (failure) => Effect.succeed(Failure.toReply(failure, id))),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.interrupt
          : Effect.as(Effect.logError("the proxy failed", cause), Failure.toReply(Failure.internal, id))
      ),
      Effect.map((given) => ({ ...given, headers: { ...given.headers, "x-request-id": id } })),
      Effect.annotateLogs("requestId", id),
      Effect.tap(({ status }) => log(status)),
      Effect.onInterrupt(() => log(hungUp))
    )
  })

/** Answers what is not HTTP, or no request of a sane size. */
export const refuse = (status: 400 | 408 | 431): Effect.Effect<Reply.Reply> =>
  Effect.flatMap(Clock.currentTimeMillis, (started) => {
    const id = requestId(undefined)
    const reply = Failure.toReply(
      Failure.make("malformed-request", "the request is not well-formed HTTP"),
      id
    )
    return Effect.as(
      Log.request({ method: "-", route: "-", status, id }, started),
      { ...reply, status, headers: { ...reply.headers, "x-request-id": id } }
    )
  })
