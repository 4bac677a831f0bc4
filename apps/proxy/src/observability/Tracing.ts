/** The span of a request. It continues the trace of the client (`traceparent`, which is not forwarded to the upstream). */
import * as HttpHeaders from "@effect/platform/Headers"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ProxyRequest } from "../exchange/ProxyRequest.ts"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import type { RequestContext } from "../exchange/RequestContext.ts"

export const withRequestSpan = (
  request: ProxyRequest,
  context: RequestContext,
  response: Effect.Effect<ProxyResponse>
): Effect.Effect<ProxyResponse> =>
  Effect.tap(response, ({ status }) =>
    Effect.annotateCurrentSpan({
      "http.route": context.route,
      "http.response.status_code": status,
      "quarry.client": context.client,
      "quarry.cache": context.cache
    })).pipe(
      Effect.withSpan("quarry-proxy.request", {
        kind: "server",
        captureStackTrace: false,
        attributes: { "http.request.method": request.method, "http.request.id": context.requestId },
        ...Option.match(parentSpan(request), { onNone: () => ({}), onSome: (parent) => ({ parent }) })
      })
    )

const parentSpan = ({ headers: { traceparent } }: ProxyRequest) =>
  traceparent === undefined
    ? Option.none()
    : HttpTraceContext.w3c(HttpHeaders.fromInput({ traceparent }))
