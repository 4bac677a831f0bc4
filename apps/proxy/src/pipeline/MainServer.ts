/** The listener for clients. Wraps the processing of every request: request id, error responses and completion. */
import * as Completed from "@blockquarry/server/Completed"
import type { HttpRequest } from "@blockquarry/server/HttpRequest"
import type { HttpResponse } from "@blockquarry/server/HttpResponse"
import * as HttpServer from "@blockquarry/server/HttpServer"
import * as IpRanges from "@blockquarry/server/IpRanges"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import type { Cors } from "../auth/Cors.ts"
import * as Jwt from "../auth/Jwt.ts"
import { allowsAnonymousClients } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import * as RequestContext from "../exchange/RequestContext.ts"
import * as LoggedPath from "../observability/LoggedPath.ts"
import type { Sampler } from "../observability/Sampler.ts"
import * as Tracing from "../observability/Tracing.ts"
import { rateLimitHeaders, withBoundedRetryAfter } from "../quota/QuotaStatus.ts"
import type { ActiveConfig } from "./ActiveConfig.ts"
import * as HandledRequest from "./HandledRequest.ts"
import * as Pipeline from "./Pipeline.ts"
import * as Router from "./Router.ts"

export class MainServer extends Context.Tag("quarry-proxy/MainServer")<MainServer, HttpServer.HttpServer>() {}

/** Returns what every listener has in common. The limits are those of the first configuration. */
export const listenerOptions = (
  activeConfig: ActiveConfig["Type"]
): Pick<HttpServer.ServerOptions, "isTrustedPeer" | "keepAliveHint" | "limits"> => {
  const { limits, shutdown } = activeConfig.current().config
  return {
    limits,
    isTrustedPeer: (address) => activeConfig.current().clients.isTrustedProxy(address),
    keepAliveHint: shutdown.delay
  }
}

export const layer = (
  { sampler, shutdownDelay }: Pick<HttpServer.ServerOptions, "shutdownDelay"> & {
    readonly sampler: Sampler | null
  }
) =>
  Layer.effect(
    MainServer,
    Effect.flatMap(HandledRequest.resolveServices, (services) => {
      const { activeConfig } = services
      const { listen, shutdown } = activeConfig.current().config
      return HttpServer.make({
        ...listenerOptions(activeConfig),
        listen,
        shutdownDelay,
        shutdownTimeout: shutdown.timeout,
        handler: handlerOf(services, sampler)
      })
    })
  )

/** Creates the handler of the requests of clients. `sampler` decides which are traced; null if no spans are exported. */
const handlerOf = (
  services: HandledRequest.RequestServices,
  sampler: Sampler | null
): HttpServer.RequestHandler => {
  const { activeConfig, now, quotas, usage } = services

  const handle: HttpServer.RequestHandler["handle"] = (request) => {
    const configured = activeConfig.current()
    const { clients, config } = configured
    const context = RequestContext.make(
      now(),
      requestId(request.headers["x-request-id"]),
      request.method,
      clients.addressOf(request),
      usage
    )
    let sender: string | undefined
    let isRejected = false
    const toErrorResponse = (error: ProxyError.ProxyError): HttpResponse => {
      const { route } = context.facts
      const client = context.facts.client ?? error.client ?? null
      RequestContext.learn(context, {
        code: error.code,
        detail: error.logDetail,
        // The path is unknown, and the client is recorded with the route only.
        ...route === "-"
          ? { client: client ?? sender ?? null, path: LoggedPath.loggedPath(request.target) }
          : { client }
      })
      return withRequestHeaders(
        ProxyError.toResponse(error, context.requestId),
        request,
        clients.cors,
        context
      )
    }
    /** Delays the rejections of a client that does not wait between its requests. */
    const rejected = (response: HttpResponse): Effect.Effect<HttpResponse> => {
      isRejected = response.status < 500
      if (!isRejected || request.shuttingDown) return Effect.succeed(response)
      const { client } = context.facts
      const source = client === null || allowsAnonymousClients(config)
        ? `address ${IpRanges.networkOf(context.clientAddress)}`
        : `client ${client}`
      const paced = quotas.rejections.pace(source, response, config.limits.maxRejectionRate, now())
      // A delayed response needs nothing that clients share.
      if (!Completed.isComplete(paced)) context.hold.handOver()
      return paced
    }
    const onFailure = (cause: Cause.Cause<ProxyError.ProxyError>): Effect.Effect<HttpResponse> => {
      const failure = Cause.failureOrCause(cause)
      if (Either.isLeft(failure)) return rejected(toErrorResponse(failure.left))
      return Cause.isInterruptedOnly(cause)
        ? Effect.interrupt
        : Effect.logError("internal error", cause).pipe(
          Effect.provideService(RequestContext.CurrentRequestId, context.requestId),
          Effect.as(toErrorResponse(ProxyError.internalError))
        )
    }
    /** A JWT, which may wait for the keys of its issuer, is verified only if the path needs a client. */
    const identify: Jwt.Identify = (tokens) =>
      services.pages.has(Router.pathOf(request.target)) ? Jwt.none : services.identify(tokens)
    const respond = (): Effect.Effect<HttpResponse> => {
      try {
        return Completed.matchCause(
          Completed.flatMap(clients.authenticate(request, context.startedAt, identify), (client) => {
            sender = Either.isRight(client) ? client.right.name : client.left.client
            return Pipeline.respond({ services, configured, request, context, client })
          }),
          onFailure,
          (response) => Effect.succeed(withRequestHeaders(response, request, clients.cors, context))
        )
      } catch (defect) {
        return onFailure(Cause.die(defect))
      }
    }
    return {
      response: Tracing.traced(sampler, request, context, respond),
      owner: () => ({ client: context.facts.client, isRejected }),
      onHandedOver: () => context.hold.handOver(),
      onComplete: (status, bytes) => {
        const completedAt = now()
        context.hold.complete()
        context.ledger.complete(() =>
          usage.record(RequestContext.toAccessLogEntry(context, status, bytes, completedAt))
        )
      }
    }
  }

  const reject: HttpServer.RequestHandler["reject"] = (status, remoteAddress) => {
    const clientAddress = activeConfig.current().clients.addressOf({ headers: {}, remoteAddress })
    const context = RequestContext.make(now(), randomUUID(), "-", clientAddress, usage)
    RequestContext.learn(context, { code: ProxyError.malformedRequest.code })
    const error = ProxyError.toResponse(ProxyError.malformedRequest, context.requestId)
    const response = { ...error, status, headers: { ...error.headers, "x-request-id": context.requestId } }
    return {
      response: Effect.succeed(response),
      onComplete: (status, bytes) =>
        usage.record(RequestContext.toAccessLogEntry(context, status, bytes, now()))
    }
  }

  return { handle, reject }
}

/** Returns the client's request id if it is safe in headers and logs, otherwise a new one. */
const requestId = (clientRequestId: string | undefined): string =>
  clientRequestId !== undefined && /^[A-Za-z0-9._-]{1,64}$/.test(clientRequestId)
    ? clientRequestId
    : randomUUID()

/** Adds the headers of every response: the request id, the state of the client's quotas, and those of CORS. */
const withRequestHeaders = (
  { body, headers, status }: HttpResponse,
  request: HttpRequest,
  cors: Cors | undefined,
  { facts: { client }, ledger: { quotas }, requestId }: RequestContext.RequestContext
): HttpResponse => ({
  status,
  headers: withBoundedRetryAfter(Object.assign(
    rateLimitHeaders(quotas),
    headers,
    { "x-request-id": requestId },
    cors?.headersFor(request, client, headers)
  )),
  body
})
