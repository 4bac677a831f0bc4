/** The request handler of the admin listener: status, usage, metrics, probes and cache purge. */
import { Engine } from "@blockquarry/http/Engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { randomUUID } from "node:crypto"
import * as CrossSite from "../auth/CrossSite.ts"
import * as Tokens from "../auth/Tokens.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { ProxyRequest } from "../exchange/ProxyRequest.ts"
import * as ProxyResponse from "../exchange/ProxyResponse.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import * as Health from "../pipeline/Health.ts"
import * as ParseRequest from "../pipeline/ParseRequest.ts"
import type { RequestHandlerService } from "../pipeline/RequestHandler.ts"
import * as RequestTarget from "../pipeline/RequestTarget.ts"
import * as Router from "../pipeline/Router.ts"
import { Quotas } from "../quota/Quotas.ts"
import { MainServer } from "../server/Server.ts"
import { Upstreams } from "../upstream/Upstreams.ts"
import * as AdminAccess from "./AdminAccess.ts"
import { sampleCommands } from "./page/SampleCommands.ts"
import * as StatusPage from "./page/StatusPage.ts"
import * as PrometheusExporter from "./PrometheusExporter.ts"
import { ProxyMetrics } from "./ProxyMetrics.ts"
import * as Status from "./Status.ts"
import * as UsageReport from "./UsageReport.ts"
import { UsageStats } from "./UsageStats.ts"
import { UsageStore } from "./UsageStore.ts"

export interface AdminOptions {
  readonly version: string
  /** The token of the admin listener as long as `admin.tokens` is empty; null if there is none. */
  readonly generatedToken: string | null
}

type AdminContext = Effect.Effect.Success<ReturnType<typeof resolve>>

export const resolve = ({ generatedToken, version }: AdminOptions) =>
  Effect.gen(function*() {
    const context = yield* Effect.context<ActiveConfig | Engine | MainServer | UsageStats>()
    const activeConfig = yield* ActiveConfig
    const mainServer = yield* MainServer
    const proxyMetrics = yield* ProxyMetrics
    const { limits, memory, rejections } = yield* Quotas
    const writeMetrics = yield* PrometheusExporter.make
    return {
      activeConfig,
      mainServer,
      engine: yield* Engine,
      examples: (yield* Upstreams).examples,
      usageStats: yield* UsageStats,
      usageStore: yield* UsageStore,
      generatedTokenHash: generatedToken === null ? null : Tokens.hash(generatedToken),
      status: Effect.provide(Status.read(version), context),
      /** Updates the metrics and returns them in the Prometheus text format. */
      metrics: Effect.suspend(() => {
        proxyMetrics.setState({
          bufferedBytes: memory.used(),
          delayedResponses: rejections.delayed(),
          shuttingDown: mainServer.shuttingDown(),
          connections: mainServer.connections(),
          clients: activeConfig.current().clients.all.map(({ name }) => name),
          inFlight: limits.inFlight
        })
        return writeMetrics
      })
    }
  })

/** Creates the handler. It does not count or log requests. It logs only internal errors and purges. */
export const make = (admin: AdminContext): RequestHandlerService => {
  const onComplete = () => {}
  const withRequestId = (response: ProxyResponse.ProxyResponse, id: string): ProxyResponse.ProxyResponse => ({
    ...response,
    headers: { ...response.headers, "x-request-id": id }
  })
  return {
    handle: (request) => {
      const id = randomUUID()
      const response = respond(admin, request).pipe(
        Effect.catchTag("ProxyError", (failure) => Effect.succeed(ProxyError.toResponse(failure, id))),
        Effect.catchAllDefect((defect) =>
          Effect.as(
            Effect.logError("admin listener: internal error", defect),
            ProxyError.toResponse(ProxyError.internalError, id)
          )
        ),
        Effect.map((response) => withRequestId(response, id))
      )
      return { response, onComplete }
    },
    reject: (status) => ({
      response: Effect.succeed(
        withRequestId({ ...ProxyError.toResponse(ProxyError.malformedRequest, "-"), status }, "-")
      ),
      onComplete
    })
  }
}

const respond = (
  admin: AdminContext,
  request: ProxyRequest
): Effect.Effect<ProxyResponse.ProxyResponse, ProxyError.ProxyError> =>
  Effect.flatMap(RequestTarget.parseTarget(request.target), ({ path, query }) => {
    const page = pages.get(path)
    if (page === undefined) return Effect.fail(unknownAdminPath)
    const { config } = admin.activeConfig.current()
    const access = AdminAccess.checkAccess(config, admin.generatedTokenHash, page.kind, request)
    if (Either.isLeft(access)) return Effect.fail(access.left)
    return Router.respondToMethod(
      request.method,
      page.method,
      () => page.respond(admin, request, query, access.right)
    )
  })

type Respond = (
  admin: AdminContext,
  request: ProxyRequest,
  query: RequestTarget.RequestTarget["query"],
  operator: string
) => Effect.Effect<ProxyResponse.ProxyResponse, ProxyError.ProxyError>

interface AdminPage {
  readonly method: "GET" | "POST"
  readonly kind: AdminAccess.PathKind
  readonly respond: Respond
}

const get = (kind: AdminAccess.PathKind, respond: Respond): AdminPage => ({ method: "GET", kind, respond })

const usage = ({ usageStats }: AdminContext) => {
  const { clients, operations, since, totals } = usageStats.usage()
  return {
    since: Status.toIsoTime(since),
    totals,
    operations,
    clients: clients.map((client) => ({ ...client, lastSeen: Status.toIsoTime(client.lastSeen) }))
  }
}

/** Removes one cache entry (`?target=`, a path with its query) or all cache entries. */
const purge: Respond = ({ engine, activeConfig }, request, query, operator) =>
  Effect.gen(function*() {
    yield* CrossSite.rejectCrossSite(request.headers)
    const { clients, upstream } = activeConfig.current()
    const sender = `${operator} from ${clients.addressOf(request)}`
    const [parameter, ...more] = query
    if (parameter === undefined) {
      if (!(yield* engine.invalidateAll)) return yield* Effect.fail(storeUnavailable)
      yield* Effect.logInfo(`cache purged by ${sender}`)
      return ProxyResponse.json(200, { purged: "everything" })
    }
    const [name, target] = parameter
    if (name !== "target" || more.length > 0) return yield* Effect.fail(expectedOneTarget)
    const { path, query: targetQuery } = yield* Effect.mapError(
      RequestTarget.parseTarget(target),
      () => expectedOneTarget
    )
    const match = Router.findRoute(path)
    if (match === undefined || match.operation.method !== "GET") {
      return yield* Effect.fail(ProxyError.unknownPath)
    }
    const upstreamRequest = yield* ParseRequest.parseRequest(match, targetQuery, undefined, "lenient")
    if (!(yield* upstream.invalidate(upstreamRequest))) {
      return yield* Effect.fail(storeUnavailable)
    }
    yield* Effect.logInfo(`cached response of ${match.operation.id} purged by ${sender}`)
    return ProxyResponse.json(200, { purged: target })
  })

const expectedOneTarget = ProxyError.make(
  "invalid-request",
  "expected no parameter (purge the whole cache) or one ?target= with a path and its query, percent-encoded: " +
    "?target=%2Fapi%2Fv2.2%2F…%3Fchain%3Deth%26limit%3D2"
)

/** Reports saved usage. Without parameters the usage is that of the process since its start. */
const usageReport = (
  { usageStore }: AdminContext,
  query: RequestTarget.RequestTarget["query"]
): Effect.Effect<ProxyResponse.ProxyResponse, ProxyError.ProxyError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.map(
      UsageReport.make(usageStore, query, now),
      ({ contentType, text }) => ProxyResponse.text(200, contentType, text, noStore)
    ))

const storeUnavailable = ProxyError.make(
  "store-unavailable",
  "the cache store is unavailable; retry later"
)

const noStore = { "cache-control": "no-store" }

const uncached = (document: unknown): ProxyResponse.ProxyResponse =>
  ProxyResponse.json(200, document, noStore)

const statusPage: Respond = ({ activeConfig, examples, mainServer }) =>
  Effect.sync(() => {
    const port = mainServer.port()
    return StatusPage.render(
      port === null ? [] : sampleCommands(activeConfig.current().config, port, examples)
    )
  })

const readiness: Respond = ({ activeConfig, engine, mainServer }) =>
  Effect.suspend(() =>
    Health.readyResponse(activeConfig.current().upstream, engine, mainServer.shuttingDown())
  )

const unknownAdminPath = ProxyError.make(
  "unknown-path",
  "path not found; the admin listener serves /, /status.json, /usage, /metrics, /livez, /readyz and POST /purge"
)

const pages: ReadonlyMap<string, AdminPage> = new Map(Object.entries<AdminPage>({
  "/": get("public", statusPage),
  "/status.json": get("operator", ({ status }) => Effect.map(status, uncached)),
  "/usage": get(
    "operator",
    (admin, _request, query) =>
      query.length > 0 ? usageReport(admin, query) : Effect.sync(() => uncached(usage(admin)))
  ),
  "/purge": { method: "POST", kind: "operator", respond: purge },
  "/metrics": get(
    "metrics",
    ({ metrics }) =>
      Effect.map(metrics, (text) => ProxyResponse.text(200, PrometheusExporter.contentType, text))
  ),
  "/livez": get("public", () => Effect.succeed(Health.liveResponse)),
  "/readyz": get("public", readiness)
}))
