/**
 * quarry-proxy with authentication, quotas and an access log. Each server has its own process. The cost is the CPU time of that
 * process under the same load: keep-alive connections, each with one request in flight.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import type { Benchmark } from "../Comparison.ts"
import { formatSize, pageDocument, smallDocument } from "../Documents.ts"
import { pathTo } from "../Processes.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import * as Servers from "../Servers.ts"

const bodies = Object.fromEntries([smallDocument, pageDocument].map(({ body, path }) => [path, body]))

/** Those that the proxy sets itself, so that the limits do not cost more only because they lack them. */
const v8Options = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Schema.String)))(
  readFileSync(pathTo("apps/proxy/src/runtime/v8Options.json"), "utf8")
)

const notes = Effect.succeed([
  `CPU time of the server process only, all threads; ${Servers.connections} keep-alive connections`,
  `quarry-proxy has no options; the other servers on Node.js have those that it sets itself: ${
    v8Options.join(" ")
  }`,
  "wall time includes the load generator and the upstream on the same machine"
])

/** The headers of quarry-proxy other than those of quotas, so that the baseline sends about as many bytes. */
const responseHeaders = {
  "content-type": "application/json",
  "cache-control": "private, max-age=5",
  "vary": "accept-encoding, authorization, x-api-key",
  "cache-status": "quarry-proxy; hit; ttl=5",
  "age": "0",
  "etag": "W/\"0000000000000\"",
  "x-request-id": "00000000-0000-4000-8000-000000000000"
}

/** Compared with reference servers: pass-through (cache misses) and cache hits. */
export const proxy: Benchmark = {
  name: "proxy",
  comparisons: Effect.gen(function*() {
    const upstream = yield* Servers.startUpstream({ bodies })
    const upstreamUrl = upstream.baseUrl
    const off = yield* QuarryProxy.startServer("quarry-proxy, cache off", upstreamUrl, {
      cache: { enabled: false }
    })
    const on = yield* QuarryProxy.startServer("quarry-proxy, cache on", upstreamUrl)
    const start = (name: string, server: string, accessLog = false) => {
      const options = { server, upstreamUrl, bodies, headers: responseHeaders, accessLog }
      return Servers.startReference(name, options, v8Options)
    }
    const forwarding = [
      yield* start("node:http, request and pipe", "pipe"),
      yield* start("node:http, request and pipe, access log", "pipe", true),
      yield* start("@fastify/http-proxy", "fastifyProxy")
    ] as const
    const caching = [
      yield* start("node:http, a Buffer", "buffer"),
      yield* start("node:http, a Buffer, access log", "buffer", true),
      yield* start("fastify, a Buffer", "fastifyBuffer")
    ] as const
    const compare = (
      title: string,
      document: Servers.ExpectedDocument,
      pattern: Servers.LoadPattern,
      [baseline, ...peers]: readonly [Servers.Server, ...Array<Servers.Server>],
      blockquarry: ReadonlyArray<readonly [server: Servers.Server, ratio: number]>
    ) => {
      const subject = Servers.subjectsWith(document, pattern, upstream)
      return {
        title: `${title}, ${formatSize(document.body)}`,
        unit: "request",
        records: 1,
        measureOptions: Servers.measureOptions,
        baseline: subject(baseline),
        peers: peers.map(subject),
        blockquarry: blockquarry.map(([server, ratio]) => ({ ...subject(server), target: { ratio } })),
        notes
      }
    }
    const misses = Servers.cacheMisses()
    return [
      compare("pass-through", smallDocument, misses, forwarding, [[off, 2.5], [on, 3.6]]),
      compare("pass-through", pageDocument, misses, forwarding, [[off, 1.5], [on, 2.2]]),
      compare("cached hit", smallDocument, Servers.cacheHits, caching, [[on, 2.2]]),
      compare("cached hit", pageDocument, Servers.cacheHits, caching, [[on, 1.8]])
    ]
  })
}
