/** The listener for operators: status, usage, metrics, probes, overrides and cache purge. */
import { closestMatch } from "@blockquarry/core/Suggestion"
import { Engine } from "@blockquarry/http/gateway/Engine"
import type { RateLimitStore } from "@blockquarry/http/RateLimitStore"
import { UsageStore } from "@blockquarry/redis/UsageStore"
import type { HttpRequest } from "@blockquarry/server/HttpRequest"
import * as HttpResponse from "@blockquarry/server/HttpResponse"
import * as HttpServer from "@blockquarry/server/HttpServer"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { randomUUID } from "node:crypto"
import * as CrossSite from "../auth/CrossSite.ts"
import { type Kind, Overrides } from "../auth/Overrides.ts"
import * as Tokens from "../auth/Tokens.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import * as Health from "../pipeline/Health.ts"
import { listenerOptions, MainServer } from "../pipeline/MainServer.ts"
import * as ParseRequest from "../pipeline/ParseRequest.ts"
import * as Router from "../pipeline/Router.ts"
import { Quotas } from "../quota/Quotas.ts"
import { Upstreams } from "../upstream/Upstreams.ts"
import * as AdminAccess from "./AdminAccess.ts"
import * as Fleet from "./Fleet.ts"
import { sampleCommands } from "./page/SampleCommands.ts"
import * as StatusPage from "./page/StatusPage.ts"
import * as PrometheusExporter from "./PrometheusExporter.ts"
import { ProxyMetrics } from "./ProxyMetrics.ts"
import * as Status from "./Status.ts"
import * as UsageReport from "./UsageReport.ts"

/** Null if the admin listener is disabled. */
export class AdminServer
  extends Context.Tag("quarry-proxy/AdminServer")<AdminServer, HttpServer.HttpServer | null>()
{}

export const layer = (options: AdminOptions) =>
  Layer.scoped(
    AdminServer,
    Effect.flatMap(resolve(options), (context) => {
      const { admin } = context.activeConfig.current().config
      return admin === null ? Effect.succeed(null) : HttpServer.make({
        ...listenerOptions(context.activeConfig),
        listen: admin,
        shutdownDelay: Effect.succeed(0),
        shutdownTimeout: "1 second",
        handler: handlerOf(context)
      })
    })
  )

export interface AdminOptions {
  readonly version: string
  /** The token of the admin listener as long as `admin.tokens` is empty; null if there is none. */
  readonly generatedToken: string | null
}

/** What the handler uses. It survives reloads. */
interface AdminContext {
  readonly activeConfig: ActiveConfig["Type"]
  readonly mainServer: MainServer["Type"]
  readonly engine: Engine["Type"]
  readonly examples: Upstreams["Type"]["examples"]
  readonly fleet: Fleet.Fleet["Type"]
  readonly overrides: Overrides["Type"]
  readonly usageStore: UsageStore["Type"]
  /** One report at a time: each uses memory and time of the process that serves clients. */
  readonly reports: Effect.Semaphore
  readonly generatedTokenHash: string | null
  readonly status: Effect.Effect<Status.Status>
  /** Updates the metrics and returns them in the Prometheus text format. */
  readonly metrics: Effect.Effect<string>
}

const resolve = ({ generatedToken, version }: AdminOptions) =>
  Effect.gen(function*() {
    const context = yield* Effect.context<
      ActiveConfig | Engine | Fleet.Fleet | MainServer | Overrides | RateLimitStore
    >()
    const activeConfig = yield* ActiveConfig
    const mainServer = yield* MainServer
    const proxyMetrics = yield* ProxyMetrics
    const { limits, rejections } = yield* Quotas
    const writeMetrics = yield* PrometheusExporter.make
    const admin: AdminContext = {
      activeConfig,
      mainServer,
      engine: yield* Engine,
      examples: (yield* Upstreams).examples,
      fleet: yield* Fleet.Fleet,
      overrides: yield* Overrides,
      usageStore: yield* UsageStore,
      reports: yield* Effect.makeSemaphore(1),
      generatedTokenHash: generatedToken === null ? null : Tokens.hash(generatedToken),
      status: Effect.provide(Status.read(version), context),
      metrics: Effect.suspend(() => {
        proxyMetrics.setState({
          bufferedBytes: limits.bufferedBytes(),
          delayedResponses: rejections.delayed(),
          shuttingDown: mainServer.shuttingDown(),
          connections: mainServer.connections(),
          clients: activeConfig.current().clients.all.map(({ name }) => name),
          inFlight: limits.inFlight
        })
        return writeMetrics
      })
    }
    return admin
  })

/** Creates the handler. It does not count or log requests. It logs only internal errors and changes. */
const handlerOf = (admin: AdminContext): HttpServer.RequestHandler => {
  const onComplete = () => {}
  const withRequestId = (response: HttpResponse.HttpResponse, id: string): HttpResponse.HttpResponse => ({
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
  request: HttpRequest
): Effect.Effect<HttpResponse.HttpResponse, ProxyError.ProxyError> =>
  Effect.zip(Router.parseTarget(request.target), Clock.currentTimeMillis).pipe(
    Effect.flatMap(([{ path, query }, now]) => {
      const page = pages.get(path)
      if (page === undefined) return Effect.fail(unknownAdminPath)
      const { config } = admin.activeConfig.current()
      const access = AdminAccess.checkAccess(config, admin.generatedTokenHash, page.kind, request, now)
      if (Either.isLeft(access)) return Effect.fail(access.left)
      return Router.respondToMethod(
        request.method,
        page.method,
        () => page.respond(admin, request, query, access.right)
      )
    })
  )

type Respond = (
  admin: AdminContext,
  request: HttpRequest,
  query: Router.RequestTarget["query"],
  operator: string
) => Effect.Effect<HttpResponse.HttpResponse, ProxyError.ProxyError>

interface AdminPage {
  readonly method: "GET" | "POST"
  readonly kind: AdminAccess.PathKind
  readonly respond: Respond
}

const get = (kind: AdminAccess.PathKind, respond: Respond): AdminPage => ({ method: "GET", kind, respond })

/** Logs what an operator did, at every log level. */
const audit = (message: string): Effect.Effect<void> =>
  Effect.logInfo(message).pipe(Logger.withMinimumLogLevel(LogLevel.Info))

const senderOf = ({ activeConfig }: AdminContext, request: HttpRequest, operator: string): string =>
  `${operator} from ${activeConfig.current().clients.addressOf(request)}`

/** Returns the clients or processes that a name stands for. */
const find = (admin: AdminContext, parameter: "client" | "process", name: string) =>
  Effect.gen(function*() {
    const all = parameter === "process"
      ? (yield* admin.fleet).reports.map(({ name }) => name)
      : [
        ...admin.activeConfig.current().config.clients.map(({ name }) => name),
        ...admin.overrides.disabled.keys()
      ]
    if (parameter === "process" && name === "all") return all
    if (all.includes(name)) return [name]
    const similar = closestMatch(name, all)
    const hint = similar === undefined ? "" : `; did you mean ${similar}?`
    return yield* ProxyError.make("invalid-request", `this process knows no ${parameter} ${name}${hint}`)
  })

const notShared = "Redis is unavailable, so the other processes do not know of this yet"

/** Changes overrides of a client, a process or `all`. Once it starts, it ends and is logged, also if the operator disconnects. */
const override = (kind: Kind, method: "set" | "clear", done: string): AdminPage => ({
  method: "POST",
  kind: "override",
  respond: (admin, request, query, operator) =>
    Effect.gen(function*() {
      yield* CrossSite.check(request.headers)
      const expected = kind === "client" ? "client" : "process"
      const [[parameter, name] = ["", ""], ...more] = query
      if (parameter !== expected || more.length > 0) {
        return yield* ProxyError.make("invalid-request", `expected one ?${expected}=`)
      }
      const names = yield* find(admin, parameter, name)
      const sender = senderOf(admin, request, operator)
      const shared = yield* Effect.uninterruptible(Effect.forEach(names, (name) =>
        Effect.tap(admin.overrides[method](kind, name, sender), (isShared) =>
          audit(`${parameter} ${name} ${done} by ${sender}${isShared ? "" : `: ${notShared}`}`))))
      return shared.every(Boolean)
        ? HttpResponse.json(200, { [done]: names })
        : HttpResponse.json(202, { [done]: names, message: notShared })
    })
})

/** Removes one cache entry (`?target=`, a path with its query), or all of them. */
const purge: Respond = (admin, request, query, operator) =>
  Effect.gen(function*() {
    yield* CrossSite.check(request.headers)
    const [target, ...more] = query
    if (more.length > 0 || target !== undefined && target[0] !== "target") return yield* expectedOneTarget
    const [what, remove] = target === undefined
      ? ["cache", admin.engine.invalidateAll] as const
      : yield* entryOf(admin, target[1])
    const sender = senderOf(admin, request, operator)
    const isDone = yield* Effect.uninterruptible(Effect.tap(remove, (isDone) =>
      audit(
        `${what} purged by ${sender}${isDone ? "" : ", perhaps in this process only: Redis is unavailable"}`
      )))
    return isDone ? ok({ purged: target?.[1] ?? "everything" }) : yield* storeUnavailable
  })

/** Returns what the log calls the cache entry of a target, and what removes it. */
const entryOf = ({ activeConfig }: AdminContext, target: string) =>
  Effect.gen(function*() {
    const { path, query } = yield* Effect.mapError(Router.parseTarget(target), () => expectedOneTarget)
    const match = Router.findRoute(path)
    if (match === undefined || match.operation.method !== "GET") return yield* ProxyError.unknownPath
    const upstreamRequest = yield* ParseRequest.parseRequest(match, query, undefined, "lenient")
    const remove = activeConfig.current().upstream.invalidate(upstreamRequest)
    return [`cached response of ${match.operation.id}`, remove] as const
  })

const expectedOneTarget = ProxyError.make(
  "invalid-request",
  "expected no parameter (purge the whole cache), or one ?target= with a path and its query, percent-encoded: " +
    "?target=%2Fapi%2Fv2.2%2F…%3Fchain%3Deth%26limit%3D2"
)

const usageReport: Respond = ({ activeConfig, reports, usageStore }, _request, query) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.map(
      reports.withPermits(1)(
        UsageReport.make(usageStore, query, now, activeConfig.current().config.quotas.billingDay)
      ),
      ({ contentType, text }) => HttpResponse.text(200, contentType, text)
    ))

const storeUnavailable = ProxyError.make(
  "store-unavailable",
  "the cache store is unavailable; retry later"
)

const ok = (document: unknown): HttpResponse.HttpResponse => HttpResponse.json(200, document)

const statusPage: Respond = ({ activeConfig, examples, mainServer }) =>
  Effect.sync(() => {
    const port = mainServer.port()
    return StatusPage.render(
      port === null ? [] : sampleCommands(activeConfig.current().config, port, examples)
    )
  })

const readiness: Respond = ({ activeConfig, engine, mainServer, overrides }) =>
  Effect.suspend(() =>
    Health.readyResponse(activeConfig.current(), overrides, engine, mainServer.shuttingDown())
  )

const unknownAdminPath = ProxyError.make(
  "unknown-path",
  "path not found; the admin listener serves /, /status.json, /usage, /metrics, /livez, /readyz, and POST /purge, /disable, " +
    "/enable, /drain and /resume"
)

const pages: ReadonlyMap<string, AdminPage> = new Map(Object.entries<AdminPage>({
  "/": get("public", statusPage),
  "/status.json": get("operator", ({ status }) => Effect.map(status, ok)),
  "/usage": get("operator", usageReport),
  "/disable": override("client", "set", "disabled"),
  "/enable": override("client", "clear", "enabled"),
  "/drain": override("drain", "set", "draining"),
  "/resume": override("drain", "clear", "resumed"),
  "/purge": { method: "POST", kind: "operator", respond: purge },
  "/metrics": get(
    "metrics",
    ({ metrics }) =>
      Effect.map(metrics, (text) => HttpResponse.text(200, PrometheusExporter.contentType, text))
  ),
  "/livez": get("public", () => Effect.succeed(Health.liveResponse)),
  "/readyz": get("public", readiness)
}))
