/** A proxy with three clients over one upstream, all on sockets: two behave well, the third does not. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Net from "node:net"
import { type Config, defaults } from "../../../src/config/Config.ts"
import * as Upstreams from "../../../src/upstream/Upstreams.ts"
import * as RecordingUpstream from "../../hostile/recordingUpstream.ts"
import { launch, openAdmin, testClient } from "../../support/proxy.ts"

export const tokens = {
  cached: "token of the client with cached requests",
  uncached: "token of the client with uncached requests",
  noisy: "token of the noisy client"
}

/** Small limits, so that a few requests reach them. */
export const limits = {
  ...defaults.limits,
  maxConcurrentRequests: 64,
  maxListsPerClient: 4,
  maxBufferedBytes: 32 * 1024 * 1024,
  sendIdleTimeout: Duration.seconds(10)
}

const upstreamSlots = 16

/** Upstream requests of the noisy client that may be in flight at once. */
export const noisySlots = Math.floor(upstreamSlots * limits.clientShare)

const hex = (digits: number, value: number): string => value.toString(16).padStart(digits, "0")

/** The prefix tells the upstream which client a request is from. */
const addressOf = (prefix: string, index: number): string => `0x${prefix}${hex(40 - prefix.length, index)}`

const transfersOf = (prefix: string, index: number): string =>
  `/api/v2.2/${addressOf(prefix, index)}/erc20/transfers`

/** Paths of requests. */
export const paths = {
  cached: "/api/v2.2/nft/0xcac4ed0000000000000000000000000000000000/1",
  uncached: (index: number) => transfersOf("900d", index),
  noisy: (index: number) => transfersOf("bad0", index),
  /** The upstream never responds. */
  hanging: (index: number) => transfersOf("bad1", index),
  /** The response has 1 MiB. */
  large: (index: number) => `/api/v2.2/nft/${addressOf("bad2", index)}`
}

const isNoisy = (request: string): boolean => request.includes("/0xbad")

const nft = JSON.stringify({ token_address: `0xcac4ed${"0".repeat(34)}`, token_id: "1" })

const page = `{"result":[],"cursor":"next","page":0,"page_size":100}`

/** A page of a list without an end. */
const largePage = (number: number): string => {
  const nft = {
    token_address: addressOf("bad2", 0),
    token_id: `${number}`,
    metadata: "x".repeat(1024 * 1024)
  }
  return JSON.stringify({ result: [nft], cursor: `after ${number}` })
}

export interface SharedProxyOptions {
  readonly limits?: Partial<Config["limits"]>
  readonly rateLimit?: Config["upstream"]["keys"][number]["rateLimit"]
  /** The rate limit of the noisy client. */
  readonly noisyRateLimit?: Config["clients"][number]["rateLimit"]
}

export const start = (options: SharedProxyOptions = {}) =>
  Effect.gen(function*() {
    const upstream = yield* RecordingUpstream.make
    upstream.respondWith((request) => {
      const [line = ""] = request.split("\r\n")
      if (line.includes(paths.cached)) return RecordingUpstream.rawResponse(200, nft)
      if (line.includes("/0xbad1")) return null
      const body = line.includes("/0xbad2") ? largePage(upstream.requests().length) : page
      return RecordingUpstream.rawResponse(200, body)
    })
    const config: Config = {
      ...defaults,
      listen: { ...defaults.listen, port: 0 },
      admin: openAdmin,
      upstream: {
        ...defaults.upstream,
        maxConcurrentRequests: upstreamSlots,
        baseUrls: { ...defaults.upstream.baseUrls, data: `http://127.0.0.1:${upstream.port}` },
        keys: [{
          name: "key",
          secret: Redacted.make("upstream-key"),
          rateLimit: options.rateLimit ?? RateLimit.none,
          dailyQuota: null,
          upstreams: ["data"]
        }]
      },
      clients: [
        testClient("cached", tokens.cached),
        testClient("uncached", tokens.uncached),
        testClient("noisy", tokens.noisy, {
          scopes: ["read", "write"],
          rateLimit: options.noisyRateLimit ?? null
        })
      ],
      limits: { ...limits, ...options.limits },
      shutdown: { delay: Duration.zero, timeout: Duration.zero }
    }
    const served = { noisy: 0 }
    const logSink = (line: string): void => {
      const { client, message } = JSON.parse(line)
      if (message === "request" && client !== "cached" && client !== "uncached") served.noisy += 1
    }
    const running = yield* launch(config, Upstreams.layer(config.upstream), {
      log: { sink: logSink, style: "json" },
      logLevel: "error"
    })
    return {
      ...running,
      upstream,
      /** Requests of the noisy client that have ended, with or without a token. */
      noisyServed: (): number => served.noisy,
      /** Upstream requests of the noisy client, among the first ones or among all so far. */
      noisySent: (first?: number): number => upstream.requests().slice(0, first).filter(isNoisy).length
    }
  })

export type SharedProxy = Effect.Effect.Success<ReturnType<typeof start>>

/** Formats a request, with a token unless it is null. */
export const get = (
  target: string,
  token: string | null,
  headers: ReadonlyArray<string> = []
): string =>
  [
    `GET ${target} HTTP/1.1`,
    "Host: localhost",
    ...(token === null ? [] : [`X-API-Key: ${token}`]),
    ...headers
  ]
    .map((line) => `${line}\r\n`).join("") + "\r\n"

/** A connection that does not read until `resume` is called on its socket. */
export const connect = (port: number) =>
  Effect.acquireRelease(
    Effect.async<Net.Socket>((resume) => {
      const socket = Net.connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      // The proxy may close a connection whose client behaves badly.
      socket.on("error", () => resume(Effect.succeed(socket)))
      socket.pause()
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
