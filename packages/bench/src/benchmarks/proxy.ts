/**
 * quarry-proxy with authentication, quotas and an access log compared with reference servers: pass-through (cache misses)
 * and cache hits.
 *
 * Each server has its own process. The cost is the CPU time of that process under the same load: keep-alive connections,
 * each with one request in flight.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import type { Benchmark } from "../Benchmark.ts"
import { forkProgram, pathTo } from "../ChildProgram.ts"
import type { Comparison } from "../Comparison.ts"
import { formatSize, pageDocument, smallDocument } from "../Documents.ts"
import * as Nginx from "../Nginx.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import * as ServerSubject from "../ServerSubject.ts"
import { startStubServer } from "../StubServer.ts"

/** Those that the proxy sets itself, so that the limits do not cost more only because they lack them. */
const v8Options = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Schema.String)))(
  readFileSync(pathTo("apps/proxy/src/runtime/v8Options.json"), "utf8")
)

const notes = Effect.succeed([
  `CPU time of the server process only, all threads; ${ServerSubject.connections} keep-alive connections`,
  `quarry-proxy has no options; the other servers on Node.js have those that it sets itself: ${
    v8Options.join(" ")
  }`,
  "wall time includes the load generator and the upstream on the same machine"
])

/** Upper bounds of the ratio to the baseline. */
const cases = [
  { document: smallDocument, targets: { cacheOff: 2.5, cacheOn: 3.6, hit: 2.2 } },
  { document: pageDocument, targets: { cacheOff: 1.5, cacheOn: 2.2, hit: 1.8 } }
]

const comparisons = Effect.gen(function*() {
  const bodies = Object.fromEntries(cases.map(({ document }) => [document.path, document.body]))
  const stubServer = yield* startStubServer(bodies)
  const withoutCache = yield* QuarryProxy.startSubject("quarry-proxy, cache off", stubServer.baseUrl, {
    cache: { enabled: false }
  })
  const withCache = yield* QuarryProxy.startSubject("quarry-proxy, cache on", stubServer.baseUrl)
  const referenceServer = (name: string, server: string, accessLog = false) =>
    Effect.map(
      forkProgram(
        "referenceServers",
        { server, upstreamUrl: stubServer.baseUrl, bodies, headers: responseHeaders, accessLog },
        v8Options
      ),
      ({ pid, port }): ServerSubject.ServerSubject => ({ name, pid, port })
    )
  const nginx = Nginx.nginxPath === undefined
    ? undefined
    : yield* Nginx.startNginx(Nginx.nginxPath, stubServer.baseUrl)
  const nginxSubject = (name: string, port: "hits" | "misses"): ReadonlyArray<ServerSubject.ServerSubject> =>
    nginx === undefined ? [] : [{ name, pid: nginx.pid, port: nginx.ports[port] }]
  const compare = (
    title: string,
    document: ServerSubject.ExpectedDocument,
    pattern: ServerSubject.LoadPattern,
    [baseline, ...peers]: readonly [ServerSubject.ServerSubject, ...Array<ServerSubject.ServerSubject>],
    blockquarry: ReadonlyArray<ServerSubject.ServerSubject>
  ): Comparison => {
    const toSubject = (serverSubject: ServerSubject.ServerSubject) =>
      ServerSubject.makeSubject(serverSubject, document, pattern, stubServer)
    return {
      title: `${title}, ${formatSize(document.body)}`,
      unit: "request",
      records: 1,
      baseline: toSubject(baseline),
      peers: peers.map(toSubject),
      blockquarry: blockquarry.map(toSubject),
      skipped: nginx === undefined ? [{ name: "nginx", reason: "not installed" }] : [],
      measureOptions: ServerSubject.measureOptions,
      showsWallTime: true,
      notes
    }
  }
  const forwardingServers = [
    yield* referenceServer("node:http, request and pipe", "pipe"),
    yield* referenceServer("node:http, request and pipe, access log", "pipe", true),
    yield* referenceServer("@fastify/http-proxy", "fastifyProxy"),
    ...nginxSubject("nginx, proxy_pass", "misses")
  ] as const
  const cachingServers = [
    yield* referenceServer("node:http, a Buffer", "buffer"),
    yield* referenceServer("node:http, a Buffer, access log", "buffer", true),
    yield* referenceServer("fastify, a Buffer", "fastifyBuffer"),
    ...nginxSubject("nginx, proxy_cache", "hits")
  ] as const
  const cacheMisses = ServerSubject.cacheMisses()
  return [
    ...cases.map(({ document, targets }) =>
      compare("pass-through", document, cacheMisses, forwardingServers, [
        { ...withoutCache, target: { ratio: targets.cacheOff } },
        { ...withCache, target: { ratio: targets.cacheOn } }
      ])
    ),
    ...cases.map(({ document, targets }) =>
      compare("cached hit", document, ServerSubject.cacheHits, cachingServers, [
        { ...withCache, target: { ratio: targets.hit } }
      ])
    )
  ]
})

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

export const proxy: Benchmark = { name: "proxy", comparisons }
