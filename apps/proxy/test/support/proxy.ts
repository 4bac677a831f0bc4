/** A proxy on free ports in front of a sandbox that the test controls, and a plain HTTP client. */
import type { ApiKey } from "@blockquarry/http/ApiOptions"
import * as RateLimit from "@blockquarry/http/RateLimit"
import type { RedisRecords } from "@blockquarry/redis/RedisRecords"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Http from "node:http"
import { AdminServer } from "../../src/admin/AdminServer.ts"
import { ProxyMetrics } from "../../src/admin/ProxyMetrics.ts"
import { SharedRecords } from "../../src/auth/Overrides.ts"
import * as Tokens from "../../src/auth/Tokens.ts"
import { type ClientConfig, type Config, defaults, type PassThroughRule } from "../../src/config/Config.ts"
import * as Values from "../../src/config/ValueSchemas.ts"
import * as Logging from "../../src/observability/Logging.ts"
import * as Sampler from "../../src/observability/Sampler.ts"
import { MainServer } from "../../src/pipeline/MainServer.ts"
import * as Proxy from "../../src/runtime/Proxy.ts"
import * as Reload from "../../src/runtime/Reload.ts"
import * as Stores from "../../src/runtime/Stores.ts"
import { type UpstreamEndpoints, Upstreams } from "../../src/upstream/Upstreams.ts"

/** One ledger for all tests: its data is generated on first access. */
export const ledger = Ledger.make({ seed: 1, scale: 200 })

export const { examples } = ledger

/** The same keys for every API. */
export const keys = (...keys: ReadonlyArray<ApiKey>): UpstreamEndpoints["keys"] => ({
  data: keys,
  streams: keys,
  ledger: keys,
  ledgerTestnet: keys
})

export const testEndpoints: UpstreamEndpoints = {
  keys: keys({ label: "main", key: Redacted.make(Sandbox.apiKey), rateLimit: RateLimit.none }),
  baseUrls: Sandbox.baseUrls
}

/** Tokens of the configuration, as they are written there. */
export const configuredTokens = Schema.decodeSync(Values.Tokens)

/** A client of the proxy with a token. */
export const testClient = (name: string, token: string, other: Partial<ClientConfig> = {}): ClientConfig => ({
  name,
  tokens: configuredTokens([Tokens.hash(token)]),
  subjects: [],
  scopes: ["read", "passthrough"],
  chains: [],
  contracts: [],
  allowedCidrs: [],
  rateLimit: null,
  weight: 1,
  dailyQuota: null,
  monthlyQuota: null,
  cors: { origins: [] },
  ...other
})

/** A rule for requests that no operation describes. Default: a GET to the data API, for all clients. */
export const testRule = (
  name: string,
  path: string,
  other: Partial<PassThroughRule> = {}
): PassThroughRule => ({
  name,
  path,
  method: "GET",
  api: "data",
  cost: null,
  cacheTtl: null,
  retry: false,
  clients: [],
  ...other
})

export interface HttpResult {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Http.OutgoingHttpHeaders
  readonly body?: string
}

/** Sends a request with an unparsed path. Default content type of a POST: JSON. */
export const sendRequest = (
  port: number,
  path: string,
  options: RequestOptions = {}
): Effect.Effect<HttpResult, Error> =>
  Effect.async((resume) => {
    const { body, method = "GET" } = options
    const headers = {
      ...(method === "POST" ? { "content-type": "application/json" } : {}),
      ...options.headers
    }
    const target = { host: "127.0.0.1", port, path, method, headers, agent: false }
    const request = Http.request(target, (response) => {
      const pieces: Array<Buffer> = []
      response.on("data", (piece: Buffer) => pieces.push(piece))
      response.on("error", (error) => resume(Effect.fail(error)))
      response.on("end", () => {
        const bytes = Buffer.concat(pieces)
        resume(Effect.succeed({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text: bytes.toString("utf8")
        }))
      })
    })
    request.on("error", (error) => resume(Effect.fail(error)))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

/** A clock whose time the test sets. */
export const fixedClock = (now: () => number): Clock.Clock =>
  Object.assign(Clock.make(), {
    unsafeCurrentTimeMillis: now,
    currentTimeMillis: Effect.sync(now)
  })

export interface TestProxyOptions {
  readonly endpoints?: UpstreamEndpoints
  readonly httpClient?: HttpClient.HttpClient
  readonly tracingEnabled?: boolean
  readonly sampler?: Sampler.Sampler
  readonly generatedToken?: string
  /** The current time of the proxy, in milliseconds since 1970. */
  readonly clock?: () => number
  readonly config?: Partial<Config>
  /** What the processes of a fleet share. Default: nothing. */
  readonly records?: RedisRecords
}

/** An admin listener on a free port that requires no token. */
export const openAdmin: NonNullable<Config["admin"]> = {
  host: "127.0.0.1",
  port: 0,
  tokens: [],
  open: "all"
}

/**
 * The configuration of test proxies. The cache is disabled unless a test enables it. A request that a busy machine interrupts
 * does not time out.
 */
export const testConfig = (
  { config }: TestProxyOptions = {}
): Config => ({
  ...defaults,
  cache: { ...defaults.cache, enabled: false },
  shutdown: { delay: Duration.zero, timeout: Duration.seconds(5) },
  limits: { ...defaults.limits, requestTimeout: Duration.minutes(5) },
  ...config,
  listen: config?.listen ?? { ...defaults.listen, port: 0 },
  admin: config?.admin === undefined ? null : config.admin
})

interface LaunchOptions extends Partial<Omit<Proxy.ProxyOptions, "config">> {
  /** The level of the log, which goes where the access log does. Default: info. */
  readonly logLevel?: Config["log"]["level"]
}

/** Starts a proxy into the scope, with the layer of its upstreams. */
export const launch = <E>(
  config: Config,
  upstreams: Layer.Layer<Upstreams | HttpClient.HttpClient, E>,
  { log = { sink: () => {}, style: "json" }, logLevel = "info", ...options }: LaunchOptions
) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(
      Proxy.layer({
        config,
        version: "0.0.0-test",
        sampler: null,
        generatedToken: null,
        shutdownDelay: Effect.succeed(0),
        log,
        ...options
      }).pipe(Layer.provide(
        Layer.merge(upstreams, Layer.provide(Stores.layer(config), NodeFileSystem.layer))
      ))
    )
    return {
      port: Context.get(context, MainServer).port() ?? 0,
      adminPort: Context.get(context, AdminServer)?.port() ?? null,
      reload: (config: Config) => Effect.provide(Reload.activate(config), context),
      countRejection: Effect.sync(() => Context.get(context, ProxyMetrics).recordReload("failure"))
    }
  }).pipe(Effect.provide(Logging.layer(log.sink, log.style, logLevel)))

/** Upstreams that send requests with a client of the test. */
export const upstreamsWith = (client: HttpClient.HttpClient, endpoints: UpstreamEndpoints = testEndpoints) =>
  Layer.merge(
    Layer.succeed(HttpClient.HttpClient, client),
    Layer.succeed(Upstreams, { endpointsOf: () => endpoints, examples })
  )

/** Starts a proxy into the scope, in front of a sandbox. */
export const start = (options: TestProxyOptions = {}) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox.make({ ledger })
    const lines: Array<string> = []
    const upstreams = upstreamsWith(options.httpClient ?? Sandbox.httpClient(sandbox), options.endpoints)
    const running = yield* launch(testConfig(options), upstreams, {
      sampler: options.tracingEnabled === true ? options.sampler ?? Sampler.standard : null,
      generatedToken: options.generatedToken ?? null,
      logLevel: options.config?.log?.level ?? "info",
      log: { sink: (line) => void lines.push(line), style: "json" }
    }).pipe(
      Effect.withRandom(Random.fixed([0])),
      options.records === undefined ? (self) => self : Effect.provideService(SharedRecords, options.records),
      options.clock === undefined ? (self) => self : Effect.withClock(fixedClock(options.clock))
    )
    return { ...running, sandbox, lines, origin: `http://127.0.0.1:${running.port}` }
  })
