/** A real proxy on free ports over an embedded service whose handles the test holds, and a plain client. */
import type { ApiKey } from "@blockquarry/http/ApiKey"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import * as Http from "node:http"
import * as Net from "node:net"
import { type ClientConfig, type Config, defaults } from "../../src/Config/Config.ts"
import * as Log from "../../src/Log.ts"
import * as Proxy from "../../src/Proxy.ts"
import type { Service } from "../../src/Upstream.ts"

/** One ledger for every test: what is worked out once is not worked out again. */
export const ledger = Ledger.make({ seed: 1, scale: 200 })

export const { examples } = ledger

/** The same key at every address. */
export const keys = (...keys: ReadonlyArray<ApiKey>): Service["keys"] => ({
  data: keys,
  streams: keys,
  ledger: keys,
  ledgerTestnet: keys
})

export const service: Service = {
  keys: keys({ label: "main", key: Redacted.make(Sandbox.key), rateLimit: RateLimit.none }),
  addresses: Sandbox.urls
}

/** A client of the proxy, by its token. */
export const client = (name: string, token: string, other: Partial<ClientConfig> = {}): ClientConfig => ({
  name,
  tokens: [`sha256:${createHash("sha256").update(token).digest("hex")}`],
  scopes: ["reads"],
  networks: [],
  limit: null,
  perDay: null,
  ...other
})

export interface Answered {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
}

export interface Asked {
  readonly method?: string
  readonly headers?: Http.OutgoingHttpHeaders
  readonly body?: string
}

/** Asks without any parser touching the path. What is posted is declared as JSON, unless the headers say otherwise. */
export const ask = (
  port: number,
  path: string,
  options: Asked = {}
): Effect.Effect<Answered, Error> =>
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

/** Writes bytes to a connection and reads until the other side closes it. */
export const raw = (port: number, text: string): Effect.Effect<string, Error> =>
  Effect.async((resume) => {
    const socket = Net.connect(port, "127.0.0.1", () => socket.write(Buffer.from(text, "latin1")))
    let read = ""
    socket.on("data", (piece) => {
      read += piece.toString("latin1")
    })
    socket.on("error", (error) => resume(Effect.fail(error)))
    socket.on("close", () => resume(Effect.succeed(read)))
    return Effect.sync(() => socket.destroy())
  })

/** A clock that waits for nothing: what is retried is retried now, and time limits are over at once. */
const hasty: Clock.Clock = Object.assign(Clock.make(), { sleep: () => Effect.void })

/** A clock that a test moves. */
const at = (now: () => number): Clock.Clock =>
  Object.assign(Clock.make(), {
    unsafeCurrentTimeMillis: now,
    currentTimeMillis: Effect.sync(now)
  })

export interface Options {
  readonly service?: Service
  readonly sandbox?: Sandbox.Options
  readonly client?: HttpClient.HttpClient
  readonly hasty?: boolean
  readonly traced?: boolean
  /** Milliseconds since 1970, as the proxy takes it. */
  readonly clock?: () => number
  readonly announce?: Duration.DurationInput
  readonly grace?: Duration.DurationInput
  readonly config?: Partial<Config>
}

/** What proxies of tests are made from; answers are not kept unless a test wants it. */
export const configured = ({ config, grace = Duration.seconds(5) }: Options = {}): Config => ({
  ...defaults,
  cache: { ...defaults.cache, enabled: false },
  drain: { announce: Duration.zero, grace: Duration.decode(grace) },
  ...config,
  listen: config?.listen ?? { ...defaults.listen, port: 0 },
  operations: config?.operations === undefined ? null : config.operations
})

/** Starts a proxy into the scope. */
export const start = (options: Options = {}) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox.make({ ledger, ...options.sandbox })
    const lines: Array<string> = []
    const sink = (line: string) => void lines.push(line)
    const running = yield* Proxy.serve({
      config: configured(options),
      backend: {
        client: Layer.succeed(HttpClient.HttpClient, options.client ?? Sandbox.httpClient(sandbox)),
        serviceOf: () => options.service ?? service,
        examples
      },
      version: "0.0.0-test",
      isTraced: options.traced ?? false,
      sink,
      style: "json",
      announce: Effect.succeed(options.announce ?? 0),
      tries: () => []
    }).pipe(
      Effect.provide(Log.layer(sink, "json", "info")),
      Effect.withRandom(Random.fixed([0])),
      options.hasty === true
        ? Effect.withClock(hasty)
        : options.clock === undefined
        ? (self) => self
        : Effect.withClock(at(options.clock))
    )
    const { port } = running
    return { ...running, sandbox, lines, origin: `http://127.0.0.1:${port}` }
  })
