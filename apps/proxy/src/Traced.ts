/**
 * The span around a request, where somebody collects spans. It goes on with the trace of the client, as `traceparent`
 * names it; that header is not sent to the service. Kept answers that are given at once have no span.
 */
import * as Headers from "@effect/platform/Headers"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Request } from "./App.ts"
import type { Notes } from "./Notes.ts"
import type { Reply } from "./Reply.ts"

export const around = (request: Request, notes: Notes, reply: Effect.Effect<Reply>): Effect.Effect<Reply> =>
  Effect.tap(reply, ({ status }) =>
    Effect.annotateCurrentSpan({
      "http.route": notes.route,
      "http.response.status_code": status,
      "quarry.client": notes.client,
      "quarry.cache": notes.cache
    })).pipe(
      Effect.withSpan("quarry-proxy.request", {
        kind: "server",
        captureStackTrace: false,
        attributes: { "http.request.method": request.method, "http.request.id": notes.id },
        ...Option.match(parentOf(request), { onNone: () => ({}), onSome: (parent) => ({ parent }) })
      })
    )

const parentOf = ({ headers: { traceparent } }: Request) =>
  traceparent === undefined
    ? Option.none()
    : HttpTraceContext.w3c(Headers.fromInput({ traceparent }))
