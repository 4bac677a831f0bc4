/** An HTTP client that responds from a script and records requests. Uses no network and only the test clock. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** A recorded request. */
export interface RecordedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Milliseconds since 1970, by the test clock. */
  readonly at: number
  /** Aborted when the client abandons the request. */
  readonly signal: AbortSignal
}

type ResponseBody = ConstructorParameters<typeof Response>[0]

/** How long a reply takes, by the test clock. Default: 0. */
interface DelayOptions {
  readonly after?: Duration.DurationInput
}

/**
 * - `Respond`: a response with status, headers and body.
 * - `Disconnect`: a connection error with `code`.
 * - `Defect`: a bug of the client.
 * - `Hang`: no reply.
 */
export type ScriptedReply = Data.TaggedEnum<{
  Respond: DelayOptions & {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: ResponseBody
  }
  Disconnect: DelayOptions & { readonly code: string }
  Defect: DelayOptions
  Hang: {}
}>

const { Defect, Disconnect, Hang, Respond } = Data.taggedEnum<ScriptedReply>()

export { Defect, Disconnect, Hang }

/** Creates a response with any body. */
export const respond = (
  status: number,
  body: ResponseBody = "",
  headers: Readonly<Record<string, string>> = {}
): ScriptedReply => Respond({ status, headers, body })

/** Creates a response with a JSON document. */
export const json = (
  document: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {}
): ScriptedReply =>
  respond(status, JSON.stringify(document), { "content-type": "application/json", ...headers })

/** Delays a reply. */
export const delayed = (after: Duration.DurationInput, reply: ScriptedReply): ScriptedReply =>
  reply._tag === "Hang" ? reply : { ...reply, after }

/** A body that never ends. */
export const endlessBody = (beginning: string): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode(beginning)) })

/** A body that breaks off. */
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

/** The replies: one for each request in turn, or a function of the request and its number, counted from 1. */
export type Script =
  | ReadonlyArray<ScriptedReply>
  | ((request: RecordedRequest, number: number) => ScriptedReply)

export interface ScriptedHttpClient {
  readonly client: HttpClient.HttpClient
  /** Every request so far. */
  readonly requests: Array<RecordedRequest>
}

/** Statuses of responses without a body. */
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/** Creates a client of a script. A request beyond the end of a list is a defect. */
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
        case "Defect":
          return yield* Effect.dieMessage("a bug")
        case "Disconnect": {
          const cause = Object.assign(new Error("no response"), { code: reply.code })
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
