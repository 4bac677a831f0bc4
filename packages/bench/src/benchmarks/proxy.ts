/**
 * The proxy as a process, against what can stand in its place: answers that it has, and answers that it fetches.
 *
 * Each contestant is a process of its own, and what counts is the CPU time of that process under the same load: so many
 * connections that are kept, each with one request under way.
 */
import * as Effect from "effect/Effect"
import type { Benchmark } from "../Benchmark.ts"
import { forked } from "../Child.ts"
import { size, transfers } from "../Documents.ts"
import * as Entrant from "../Entrant.ts"
import * as Nginx from "../Nginx.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import type { Race } from "../Race.ts"
import { serve } from "../Server.ts"

const token = "a token of the benchmark"

/** The clock of other processes has a hundred ticks a second. */
const effort = { warmUp: 6_000_000, batch: 1_200_000 }

const notes = Effect.succeed([
  `CPU time of the contestant's process alone, all its threads; ${Entrant.connections} connections that are kept`,
  "on the wall the load and the service behind take their part of the same machine"
])

/** An answer of so many transfers, and how it is asked for. */
const document = (path: string, length: number): Entrant.Document => ({
  path: `/api/v2.2/${path}/erc20/transfers`,
  body: transfers("strings", "next", length)
})

const documents = [
  document("0x2222222222222222222222222222222222222222", 2),
  document("0x9999999999999999999999999999999999999999", 100)
]

const races = Effect.gen(function*() {
  const bodies = Object.fromEntries(documents.map(({ body, path }) => [path, body]))
  const service = yield* serve(bodies)
  const ours = (name: string, configuration: QuarryProxy.Configuration) =>
    Effect.map(
      QuarryProxy.start(service.address, configuration),
      (started): Entrant.Entrant => ({ ...started, name, headers: { "x-api-key": token } })
    )
  const standard = yield* ours("quarry-proxy", {})
  const counting = yield* ours("quarry-proxy with a token and budgets", {
    clients: [QuarryProxy.client("bench", token)]
  })
  const forgetful = yield* ours("quarry-proxy without a cache", { cache: { enabled: false } })
  const peer = (name: string, peer: string) =>
    Effect.map(
      forked("peers", { peer, service: service.address, bodies, headers: yours }),
      ({ pid, port }): Entrant.Entrant => ({ name, pid, port })
    )
  const nginx = Nginx.program === undefined ? undefined : yield* Nginx.start(Nginx.program, service.address)
  const ofNginx = (name: string, port: "hits" | "passes"): ReadonlyArray<Entrant.Entrant> =>
    nginx === undefined ? [] : [{ name, pid: nginx.pid, port: nginx.ports[port] }]
  const race = (
    title: string,
    document: Entrant.Document,
    manner: Entrant.Manner,
    [limit, ...others]: readonly [Entrant.Entrant, ...Array<Entrant.Entrant>]
  ): Race => {
    const enter = (entrant: Entrant.Entrant) => Entrant.contestant(entrant, document, manner, service)
    return {
      title: `proxy: ${title} of ${size(document.body)}`,
      unit: "request",
      records: 1,
      contestants: [enter(limit), ...others.map(enter)],
      absent: nginx === undefined ? [{ name: "nginx", reason: "is not installed" }] : [],
      effort,
      showsWall: true,
      notes
    }
  }
  const passing = [
    yield* peer("node:http, request and pipe", "pipe"),
    yield* peer("@fastify/http-proxy", "fastifyProxy"),
    ...ofNginx("nginx, proxy_pass", "passes"),
    forgetful,
    standard,
    counting
  ] as const
  const having = [
    yield* peer("node:http, a Buffer", "buffer"),
    yield* peer("fastify, a Buffer", "fastifyBuffer"),
    ...ofNginx("nginx, proxy_cache", "hits"),
    standard,
    counting
  ] as const
  const misses = Entrant.misses()
  return [
    ...documents.map((document) => race("passed on, an answer", document, misses, passing)),
    ...documents.map((document) => race("kept, an answer", document, Entrant.hits, having))
  ]
})

/** What our answers come with, so that the limit writes as much. */
const yours = {
  "content-type": "application/json",
  "cache-control": "private, max-age=5",
  "vary": "accept-encoding",
  "cache-status": "quarry-proxy; hit; ttl=5",
  "age": "0",
  "etag": "W/\"000000000000000000000000000\"",
  "x-request-id": "00000000-0000-4000-8000-000000000000"
}

export const proxy: Benchmark = { name: "proxy", races }
