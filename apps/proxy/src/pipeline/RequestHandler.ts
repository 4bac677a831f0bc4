/** Around every request: its id, its reply whatever happens, and word of it when it is over. */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { ProxyRequest } from "../exchange/ProxyRequest.ts"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import * as RequestContext from "../exchange/RequestContext.ts"
import * as Tracing from "../observability/Tracing.ts"
import { rateLimitHeaders } from "../quota/QuotaStatus.ts"
import type { ActiveConfig } from "./ActiveConfig.ts"
import * as CacheFastPath from "./CacheFastPath.ts"
import * as Pipeline from "./Pipeline.ts"
import type { SharedState } from "./SharedState.ts"

/** A request that is being answered. */
interface PendingResponse {
  /** At once, or after some work. */
  readonly response: ProxyResponse | Effect.Effect<ProxyResponse>
  /** Told when the answer has gone, with its status (499 where the client did not wait for it), and how many bytes of a body. */
  readonly onComplete: (status: number, bytes: number) => void
}

export interface RequestHandler {
  readonly handle: (request: ProxyRequest) => PendingResponse
  /** Answers what is not HTTP, or no request of a sane size. */
  readonly reject: (status: 400 | 408 | 431) => PendingResponse & { readonly response: ProxyResponse }
}

/** One that knows how many requests it answers. */
export interface CountingRequestHandler extends RequestHandler {
  readonly inFlight: () => number
}

/** `current` is asked for each request: it changes when the configuration is read again. */
export const make = (
  sharedState: SharedState,
  currentConfig: () => ActiveConfig,
  clock: Clock.Clock
): CountingRequestHandler => {
  const now = () => clock.unsafeCurrentTimeMillis()
  let inFlight = 0

  const handle: RequestHandler["handle"] = (request) => {
    const context = RequestContext.make(now(), requestId(request.headers["x-request-id"]), request.method)
    const activeConfig = currentConfig()
    /** Counted from here to its end: nothing that fails comes before. */
    const pending = (response: PendingResponse["response"]): PendingResponse => {
      inFlight += 1
      return {
        response,
        onComplete: (status, bytes) => {
          inFlight -= 1
          sharedState.onComplete(RequestContext.toAccessLogEntry(context, status, bytes, now()))
          context.onLateUsage = ({ attempts, cost }) =>
            sharedState.onLateUsage(context.client, attempts, cost)
        }
      }
    }
    const toErrorResponse = (error: ProxyError.ProxyError): ProxyResponse => {
      context.code = error.code
      context.client ??= error.client ?? null
      return ProxyError.toResponse(error, context.requestId)
    }
    if (inFlight >= activeConfig.config.limits.maxConcurrentRequests && !isProbe(request)) {
      return pending(withRequestHeaders(toErrorResponse(ProxyError.overloaded), context))
    }
    const cachedResponse = CacheFastPath.respondFromCache(
      activeConfig,
      sharedState.encodedBodies,
      request,
      context
    )
    if (cachedResponse !== undefined) return pending(withRequestHeaders(cachedResponse, context))
    const reply = Pipeline.respond(sharedState, activeConfig, request, context).pipe(
      Effect.catchTag("ProxyError", (failure) => Effect.succeed(toErrorResponse(failure))),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.interrupt
          : Effect.as(Effect.logError("the proxy failed", cause), toErrorResponse(ProxyError.internalError))
      ),
      Effect.map((reply) => withRequestHeaders(reply, context)),
      Effect.annotateLogs("requestId", context.requestId)
    )
    return pending(sharedState.tracingEnabled ? Tracing.withRequestSpan(request, context, reply) : reply)
  }

  const reject: RequestHandler["reject"] = (status) => {
    const context = RequestContext.make(now(), randomUUID(), "-")
    context.code = ProxyError.malformedRequest.code
    const response = withRequestHeaders({
      ...ProxyError.toResponse(ProxyError.malformedRequest, context.requestId),
      status
    }, context)
    return {
      response,
      onComplete: (status, bytes) =>
        sharedState.onComplete(RequestContext.toAccessLogEntry(context, status, bytes, now()))
    }
  }

  return { handle, reject, inFlight: () => inFlight }
}

/** A client's own id is taken over only where it is harmless in a header and in a log. */
const requestId = (clientRequestId: string | undefined): string =>
  clientRequestId !== undefined && /^[A-Za-z0-9._-]{1,64}$/.test(clientRequestId)
    ? clientRequestId
    : randomUUID()

/** What every answer says, whatever it is: which request it is to, and how its client stands. */
const withRequestHeaders = (
  response: ProxyResponse,
  { quotas, requestId }: RequestContext.RequestContext
): ProxyResponse => ({
  ...response,
  headers: { ...rateLimitHeaders(quotas), ...response.headers, "x-request-id": requestId }
})

/** Whoever asks how the proxy is must hear that it has much to do. */
const isProbe = ({ target }: ProxyRequest): boolean => target === "/livez" || target === "/readyz"
