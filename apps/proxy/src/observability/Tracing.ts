/** The span of a request. It continues the trace of the client (`traceparent`, which is not forwarded to the upstream). */
import type { HttpRequest } from "@blockquarry/server/HttpRequest"
import type { HttpResponse } from "@blockquarry/server/HttpResponse"
import * as HttpHeaders from "@effect/platform/Headers"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { learn, type RequestContext } from "../exchange/RequestContext.ts"
import type { Sampler } from "./Sampler.ts"

/** Responds to a request, in a span if there is a sampler and it samples the request. Records the id of the trace. */
export const traced = (
  sampler: Sampler | null,
  request: HttpRequest,
  context: RequestContext,
  respond: () => Effect.Effect<HttpResponse>
): Effect.Effect<HttpResponse> => {
  const parent = parentSpan(request)
  if (parent !== undefined) learn(context, { traceId: parent.traceId })
  if (sampler === null) return respond()
  return Effect.flatMap(
    Effect.makeSpan("quarry-proxy.request", {
      kind: "server",
      captureStackTrace: false,
      attributes: {
        "http.request.method": request.method,
        "http.request.id": context.requestId,
        "client.address": context.clientAddress
      },
      ...(parent === undefined ? {} : { parent })
    }),
    (span) => {
      const response = Effect.suspend(respond)
      // A span that does not end is not exported.
      if (!sampler(span.traceId, parent?.sampled ?? null)) return Effect.withTracerEnabled(response, false)
      learn(context, { traceId: span.traceId })
      return Effect.onExit(
        Effect.withParentSpan(response, span),
        (exit) => Effect.map(Clock.currentTimeNanos, (now) => endSpan(span, context, exit, now))
      )
    }
  )
}

/** Only a status of 5xx is an error of a server. */
const endSpan = (
  span: Tracer.Span,
  { facts: { cache, client, code, route } }: RequestContext,
  exit: Exit.Exit<HttpResponse>,
  now: bigint
): void => {
  if (route !== "-") span.attribute("http.route", route)
  span.attribute("quarry.client", client)
  span.attribute("quarry.cache", cache)
  if (Exit.isFailure(exit)) return span.end(now, exit)
  const { status } = exit.value
  span.attribute("http.response.status_code", status)
  if (status < 500) return span.end(now, Exit.void)
  span.attribute("error.type", code ?? String(status))
  span.end(now, Exit.fail(code ?? String(status)))
}

const parentSpan = ({ headers: { traceparent } }: HttpRequest): Tracer.ExternalSpan | undefined =>
  traceparent === undefined
    ? undefined
    : Option.getOrUndefined(HttpTraceContext.w3c(HttpHeaders.fromInput({ traceparent })))
