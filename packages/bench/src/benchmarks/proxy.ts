/**
 * quarry-proxy compared with reference servers: cache hits and cache misses.
 *
 * Each server has its own process. The measure is the CPU time of that process under the same load: keep-alive
 * connections, each with one request in flight.
 */
import * as Effect from "effect/Effect"
import type { Benchmark } from "../Benchmark.ts"
import { forkProgram } from "../ChildProgram.ts"
import type { Comparison } from "../Comparison.ts"
import { formatSize, transfersPage } from "../Documents.ts"
import * as Nginx from "../Nginx.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import * as ServerSubject from "../ServerSubject.ts"
import { startStubServer } from "../StubServer.ts"

const token = "a token of the benchmark"

/** The CPU clock of other processes has a resolution of 10 ms. */
const measureOptions = { warmUp: 6_000_000, batch: 1_200_000 }

const notes = Effect.succeed([
  `CPU time of the server process only, all threads; ${ServerSubject.connections} keep-alive connections`,
  "wall time includes the load generator and the upstream on the same machine"
])

/** A page of `length` transfers and its path. */
const expectedDocument = (path: string, length: number): ServerSubject.ExpectedDocument => ({
  path: `/api/v2.2/${path}/erc20/transfers`,
  body: transfersPage("strings", "next", length)
})

const documents = [
  expectedDocument("0x2222222222222222222222222222222222222222", 2),
  expectedDocument("0x9999999999999999999999999999999999999999", 100)
]

const comparisons = Effect.gen(function*() {
  const bodies = Object.fromEntries(documents.map(({ body, path }) => [path, body]))
  const stubServer = yield* startStubServer(bodies)
  const blockquarryProxy = (name: string, configuration: QuarryProxy.ProxyConfiguration) =>
    Effect.map(
      QuarryProxy.startProxy(stubServer.baseUrl, configuration),
      (started): ServerSubject.ServerSubject => ({ ...started, name, headers: { "x-api-key": token } })
    )
  const proxyWithDefaults = yield* blockquarryProxy("quarry-proxy", {})
  const proxyWithQuotas = yield* blockquarryProxy("quarry-proxy with authentication and quotas", {
    clients: [QuarryProxy.clientConfig("bench", token)]
  })
  const proxyWithoutCache = yield* blockquarryProxy("quarry-proxy without a cache", {
    cache: { enabled: false }
  })
  const referenceServer = (name: string, server: string) =>
    Effect.map(
      forkProgram("referenceServers", {
        server,
        upstreamUrl: stubServer.baseUrl,
        bodies,
        headers: responseHeaders
      }),
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
    [baseline, ...others]: readonly [ServerSubject.ServerSubject, ...Array<ServerSubject.ServerSubject>]
  ): Comparison => {
    const toSubject = (serverSubject: ServerSubject.ServerSubject) =>
      ServerSubject.makeSubject(serverSubject, document, pattern, stubServer)
    return {
      title: `proxy: ${title}, ${formatSize(document.body)}`,
      unit: "request",
      records: 1,
      subjects: [toSubject(baseline), ...others.map(toSubject)],
      skipped: nginx === undefined ? [{ name: "nginx", reason: "not installed" }] : [],
      measureOptions,
      showsWallTime: true,
      notes
    }
  }
  const forwardingSubjects = [
    yield* referenceServer("node:http, request and pipe", "pipe"),
    yield* referenceServer("@fastify/http-proxy", "fastifyProxy"),
    ...nginxSubject("nginx, proxy_pass", "misses"),
    proxyWithoutCache,
    proxyWithDefaults,
    proxyWithQuotas
  ] as const
  const cachingSubjects = [
    yield* referenceServer("node:http, a Buffer", "buffer"),
    yield* referenceServer("fastify, a Buffer", "fastifyBuffer"),
    ...nginxSubject("nginx, proxy_cache", "hits"),
    proxyWithDefaults,
    proxyWithQuotas
  ] as const
  const cacheMisses = ServerSubject.cacheMisses()
  return [
    ...documents.map((document) => compare("cache miss", document, cacheMisses, forwardingSubjects)),
    ...documents.map((document) => compare("cache hit", document, ServerSubject.cacheHits, cachingSubjects))
  ]
})

/** The headers of quarry-proxy, so that the baseline sends as many bytes. */
const responseHeaders = {
  "content-type": "application/json",
  "cache-control": "private, max-age=5",
  "vary": "accept-encoding",
  "cache-status": "quarry-proxy; hit; ttl=5",
  "age": "0",
  "etag": "W/\"000000000000000000000000000\"",
  "x-request-id": "00000000-0000-4000-8000-000000000000"
}

export const proxy: Benchmark = { name: "proxy", comparisons }
