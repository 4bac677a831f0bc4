/** A client of HTTP that answers from a script and remembers what it was asked. No network, no time of its own. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** A request as it arrived. */
export interface RecordedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Milliseconds since 1970, by the clock of the test. */
  readonly at: number
  /** Aborted once the client has lost interest. */
  readonly signal: AbortSignal
}

type Body = ConstructorParameters<typeof Response>[0]

/** How long a reply takes, by the clock of the test; none where nothing is said. */
interface DelayOptions {
  readonly after?: Duration.DurationInput
}

/**
 * - `Answer`: a status, headers and a body.
 * - `Fault`: no answer; `code` is what the network said.
 * - `Hang`: nothing, ever.
 */
export type ScriptedReply = Data.TaggedEnum<{
  Respond: DelayOptions & {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: Body
  }
  Disconnect: DelayOptions & { readonly code: string }
  Hang: {}
}>

export const { Respond, Disconnect, Hang } = Data.taggedEnum<ScriptedReply>()

/** An answer of any status with any body. */
export const respond = (
  status: number,
  body: Body = "",
  headers: Readonly<Record<string, string>> = {}
): ScriptedReply => Respond({ status, headers, body })

/** An answer with a JSON document. */
export const json = (
  document: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {}
): ScriptedReply =>
  respond(status, JSON.stringify(document), { "content-type": "application/json", ...headers })

/** A reply that takes its time. */
export const delayed = (after: Duration.DurationInput, reply: ScriptedReply): ScriptedReply =>
  reply._tag === "Hang" ? reply : { ...reply, after }

/** A body that begins and never ends. */
export const endlessBody = (beginning: string): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode(beginning)) })

/** A body that begins and breaks off. */
export const brokenBody = (beginning: string, code: string): ReadableStream<Uint8Array> => {
  let started = false
  return new ReadableStream({
    pull: (body) => {
      if (started) body.error(Object.assign(new Error(code), { code }))
      else body.enqueue(new TextEncoder().encode(beginning))
      started = true
    }
  })
}

/** What to answer: one reply for each request in turn, or whatever a function makes of a request. */
export type Script =
  | ReadonlyArray<ScriptedReply>
  | ((request: RecordedRequest, number: number) => ScriptedReply)

export interface ScriptedHttpClient {
  readonly client: HttpClient.HttpClient
  /** Every request so far. */
  readonly requests: Array<RecordedRequest>
}

/** Status codes whose answers have no body at all. */
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/** Makes a client of a script. A request beyond the end of a list is a defect. */
export const make = (script: Script): ScriptedHttpClient => {
  const requests: Array<RecordedRequest> = []
  const next = (request: RecordedRequest): ScriptedReply | undefined =>
    typeof script === "function" ? script(request, requests.length) : script[requests.length - 1]
  const client = HttpClient.make((request, url, signal) =>
    Effect.gen(function*() {
      const at = yield* Clock.currentTimeMillis
      const { body, headers, method } = request
      const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : null
      const recorded: RecordedRequest = { method, url, headers: { ...headers }, body: text, at, signal }
      requests.push(recorded)
      const reply = next(recorded)
      if (reply === undefined) {
        return yield* Effect.dieMessage(`request ${requests.length} is not in the script`)
      }
      if (reply._tag !== "Hang" && reply.after !== undefined) yield* Effect.sleep(reply.after)
      switch (reply._tag) {
        case "Hang":
          return yield* Effect.never
        case "Disconnect": {
          const cause = Object.assign(new Error("no answer"), { code: reply.code })
          return yield* new HttpClientError.RequestError({ request, reason: "Transport", cause })
        }
        case "Respond":
          return HttpClientResponse.fromWeb(
            request,
            new Response(statusesWithoutBody.has(reply.status) ? null : reply.body, {
              status: reply.status,
              headers: reply.headers
            })
          )
      }
    })
  )
  return { client, requests }
}
