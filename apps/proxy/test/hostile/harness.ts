/** A proxy and a recording upstream, both on sockets. */
import { allOperations } from "@blockquarry/core/Operations"
import { userAgent } from "@blockquarry/http/ApiOptions"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type Config, defaults } from "../../src/config/Config.ts"
import * as Sampler from "../../src/observability/Sampler.ts"
import * as Upstreams from "../../src/upstream/Upstreams.ts"
import { fixedClock, launch, testClient } from "../support/proxy.ts"
import { get, makeChanges } from "./rawHttp.ts"
import * as RecordingUpstream from "./recordingUpstream.ts"

export const token = "token-of-a-client"

/** A GET request of the client. */
export const authorized = (target: string, ...headers: ReadonlyArray<string>): Buffer =>
  get(target, `X-API-Key: ${token}`, ...headers)

/** The API keys of the data API and of all other APIs. */
const keys: UpstreamKeys = { data: "key-of-the-data", others: "key-of-the-others" }

export interface HarnessOptions {
  /** Whether access is anonymous. Default: false, with one client. */
  readonly anonymous?: boolean
  readonly config?: Partial<Config>
  readonly limits?: Partial<Config["limits"]>
  /** Beside the base URLs and API keys. */
  readonly upstream?: Partial<Config["upstream"]>
  readonly keys?: UpstreamKeys
  /** Whether requests are traced. Default: false. */
  readonly traced?: boolean
  /** The current time of the proxy, in milliseconds since 1970. */
  readonly clock?: () => number
}

export interface UpstreamKeys {
  readonly data: string
  readonly others: string
}

/**
 * The request timeout in milliseconds. Longer than a busy machine pauses: a connection whose bytes are not read for that long is
 * one without a byte.
 */
export const requestTimeoutMs = 1500

const otherUpstreams = ["streams", "ledger", "ledgerTestnet"] as const

type KeyConfig = Config["upstream"]["keys"][number]

/** An API key without limits. */
export const keyOf = (name: string, secret: string, upstreams: KeyConfig["upstreams"]): KeyConfig => ({
  name,
  secret: Redacted.make(secret),
  upstreams,
  rateLimit: RateLimit.none,
  dailyQuota: null
})

const configFor = (
  { anonymous = false, config, keys: upstreamKeys = keys, limits, upstream }: HarnessOptions,
  upstreamPort: number
): Config => {
  const base = `http://127.0.0.1:${upstreamPort}`
  return {
    ...defaults,
    listen: { ...defaults.listen, port: 0 },
    admin: null,
    upstream: {
      ...defaults.upstream,
      baseUrls: { data: base, streams: base, ledger: `${base}/v1`, ledgerTestnet: `${base}/testnet/v1` },
      keys: [
        keyOf("data", upstreamKeys.data, ["data"]),
        keyOf("others", upstreamKeys.others, otherUpstreams)
      ],
      ...upstream
    },
    clients: anonymous ? [] : [testClient("one", token, { scopes: ["read", "write"] })],
    cache: { ...defaults.cache, enabled: false },
    shutdown: { delay: Duration.zero, timeout: Duration.zero },
    ...config,
    limits: { ...defaults.limits, requestTimeout: Duration.millis(requestTimeoutMs), ...limits }
  }
}

export const start = (options: HarnessOptions = {}) =>
  Effect.gen(function*() {
    const upstream = yield* RecordingUpstream.make
    const config = configFor(options, upstream.port)
    const lines: Array<string> = []
    const { notify, when } = makeChanges()
    const logSink = (line: string) => {
      lines.push(line)
      notify()
    }
    const running = yield* launch(config, Upstreams.layer(config.upstream), {
      sampler: options.traced === true ? Sampler.standard : null,
      log: { sink: logSink, style: "json" },
      logLevel: "debug"
    }).pipe(options.clock === undefined ? (self) => self : Effect.withClock(fixedClock(options.clock)))
    /** Waits until `count` requests have ended with a status. */
    const ended = (status: number, count: number): Effect.Effect<void> =>
      when(() =>
        lines.filter((line) => line.includes(`"status":${status},`)).length < count ? undefined : Effect.void
      )
    return { ...running, config, ended, lines, upstream }
  })

/** The base paths of each API, and which keys they get. */
const bases = {
  data: [["/api/v2.2", "data"]],
  streams: [["", "others"]],
  ledger: [["/v1", "others"], ["/testnet/v1", "others"]]
} as const

/** Canonical paths of all operations: without empty, dot or ambiguous segments. */
const canonical = allOperations.flatMap(({ api, method, path }) =>
  bases[api].map(([base, owner]) => ({
    method,
    owner,
    path: new RegExp(
      `^${(base + path).replaceAll(".", "\\.").replaceAll(/:\w+/g, "(?!\\.\\.?(?:/|$))[\\w!'()*.~%-]+")}$`
    )
  }))
)

/** Returns how a request to the upstream deviates from the expected form, or null. */
export const deviationFrom = (
  request: string,
  upstreamPort: number,
  upstreamKeys: UpstreamKeys = keys
): string | null => {
  const [head = "", body = ""] = request.split("\r\n\r\n")
  const [line = "", ...headers] = head.split("\r\n")
  const [method = "", target = "", version] = line.split(" ")
  if (version !== "HTTP/1.1") return `version of ${line}`
  const [path = "", query = ""] = target.split("?")
  const operation = canonical.find((one) => one.method === method && one.path.test(path))
  if (operation === undefined) return `not canonical: ${line}`
  if (!/^[\w!'()*.~%=&-]*$/.test(query)) return `query of ${line}`
  if (/%2f|%5c|%2e|%0|%1/i.test(path)) return `an escape in ${path}`
  const expected = [
    `host: 127.0.0.1:${upstreamPort}`,
    "connection: keep-alive",
    "accept: application/json",
    `user-agent: quarry-proxy ${userAgent}`,
    `x-api-key: ${upstreamKeys[operation.owner]}`,
    ...(method === "POST" ? ["content-type: application/json", `content-length: ${body.length}`] : [])
  ]
  const others = headers.map((one) => one.replace(/^[^:]*/, (name) => name.toLowerCase())).sort()
  if (JSON.stringify(others) !== JSON.stringify([...expected].sort())) {
    return `headers: ${JSON.stringify(headers)}`
  }
  return method === "GET" && body !== "" ? `a body: ${body}` : null
}
