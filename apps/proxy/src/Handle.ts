/** Around every request: its id, its reply whatever happens, and word of it when it is over. */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import * as App from "./App.ts"
import * as Standing from "./Budgets/Standing.ts"
import * as Failure from "./Failure.ts"
import * as Hits from "./Hits.ts"
import type { Instance } from "./Instance.ts"
import * as Notes from "./Notes.ts"
import type { Process } from "./Process.ts"
import type { Reply } from "./Reply.ts"
import * as Traced from "./Traced.ts"

/** A request that is being answered. */
interface Handling {
  /** At once, or after some work. */
  readonly reply: Reply | Effect.Effect<Reply>
  /** Told when the answer has gone, with its status (499 where the client did not wait for it), and how many bytes of a body. */
  readonly over: (status: number, bytes: number) => void
}

export interface Handler {
  readonly handle: (request: App.Request) => Handling
  /** Answers what is not HTTP, or no request of a sane size. */
  readonly refuse: (status: 400 | 408 | 431) => Handling & { readonly reply: Reply }
}

/** One that knows how many requests it answers. */
export interface Counting extends Handler {
  readonly underWay: () => number
}

/** `current` is asked for each request: it changes when the configuration is read again. */
export const make = (process: Process, current: () => Instance, clock: Clock.Clock): Counting => {
  const now = () => clock.unsafeCurrentTimeMillis()
  let underWay = 0

  const handle: Handler["handle"] = (request) => {
    const notes = Notes.make(now(), requestId(request.headers["x-request-id"]), request.method)
    const instance = current()
    /** Counted from here to its end: nothing that fails comes before. */
    const handling = (reply: Handling["reply"]): Handling => {
      underWay += 1
      return {
        reply,
        over: (status, bytes) => {
          underWay -= 1
          process.over(Notes.facts(notes, status, bytes, now()))
          notes.receipt.late = (attempts, units) => process.late(notes.client, attempts, units)
        }
      }
    }
    const failed = (failure: Failure.Failure): Reply => {
      notes.code = failure.code
      notes.client ??= failure.client ?? null
      return Failure.toReply(failure, notes.id)
    }
    if (underWay >= instance.config.limits.requests && !isProbe(request)) {
      return handling(identified(failed(Failure.overloaded), notes))
    }
    const hit = Hits.answer(instance, process.encoded, request, notes)
    if (hit !== undefined) return handling(identified(hit, notes))
    const reply = App.answer(process, instance, request, notes).pipe(
      Effect.catchTag("Failure", (failure) => Effect.succeed(failed(failure))),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.interrupt
          : Effect.as(Effect.logError("the proxy failed", cause), failed(Failure.internal))
      ),
      Effect.map((reply) => identified(reply, notes)),
      Effect.annotateLogs("requestId", notes.id)
    )
    return handling(process.isTraced ? Traced.around(request, notes, reply) : reply)
  }

  const refuse: Handler["refuse"] = (status) => {
    const notes = Notes.make(now(), randomUUID(), "-")
    notes.code = Failure.malformed.code
    const reply = identified({ ...Failure.toReply(Failure.malformed, notes.id), status }, notes)
    return { reply, over: (status, bytes) => process.over(Notes.facts(notes, status, bytes, now())) }
  }

  return { handle, refuse, underWay: () => underWay }
}

/** A client's own id is taken over only where it is harmless in a header and in a log. */
const requestId = (given: string | undefined): string =>
  given !== undefined && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID()

/** What every answer says, whatever it is: which request it is to, and how its client stands. */
const identified = (reply: Reply, { budgets, id }: Notes.Notes): Reply => ({
  ...reply,
  headers: { ...Standing.headers(budgets), ...reply.headers, "x-request-id": id }
})

/** Whoever asks how the proxy is must hear that it has much to do. */
const isProbe = ({ target }: App.Request): boolean => target === "/livez" || target === "/readyz"
