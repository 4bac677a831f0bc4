/** A proxy with three clients over one upstream, all on sockets: two behave well, the third does not. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Net from "node:net"
import { type Config, defaults } from "../../../src/config/Config.ts"
import * as Harness from "../../hostile/harness.ts"
import * as RawHttp from "../../hostile/rawHttp.ts"
import { rawResponse } from "../../hostile/recordingUpstream.ts"
import { openAdmin, testClient } from "../../support/proxy.ts"

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
  readonly rateLimit?: Config["upstream"]["keys"][number]["rateLimit"]
  /** The rate limit of the noisy client. */
  readonly noisyRateLimit?: Config["clients"][number]["rateLimit"]
}

export const start = (options: SharedProxyOptions = {}) =>
  Effect.gen(function*() {
    const proxy = yield* Harness.start({
      upstream: {
        maxConcurrentRequests: upstreamSlots,
        keys: [{
          ...Harness.keyOf("key", "upstream-key", ["data"]),
          rateLimit: options.rateLimit ?? RateLimit.none
        }]
      },
      config: {
        admin: openAdmin,
        cache: defaults.cache,
        clients: [
          testClient("cached", tokens.cached),
          testClient("uncached", tokens.uncached),
          testClient("noisy", tokens.noisy, {
            scopes: ["read", "write"],
            rateLimit: options.noisyRateLimit ?? null
          })
        ]
      },
      limits
    })
    const { lines, upstream } = proxy
    upstream.respondWith((request) => {
      const [line = ""] = request.split("\r\n")
      if (line.includes(paths.cached)) return rawResponse(200, nft)
      if (line.includes("/0xbad1")) return null
      return rawResponse(200, line.includes("/0xbad2") ? largePage(upstream.requests().length) : page)
    })
    return {
      ...proxy,
      /** Requests of the noisy client that have ended, with or without a token. */
      noisyServed: (): number =>
        lines.filter((line) =>
          line.includes("\"message\":\"request\"") && !/"client":"(un)?cached"/.test(line)
        )
          .length,
      /** Upstream requests of the noisy client, among the first ones or among all so far. */
      noisySent: (first?: number): number => upstream.requests().slice(0, first).filter(isNoisy).length
    }
  })

export type SharedProxy = Effect.Effect.Success<ReturnType<typeof start>>

/** Formats a request, with a token unless it is null. */
export const get = (target: string, token: string | null, headers: ReadonlyArray<string> = []): string =>
  RawHttp.get(target, ...(token === null ? [] : [`X-API-Key: ${token}`]), ...headers).toString("latin1")

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
