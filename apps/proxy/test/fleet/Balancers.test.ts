/** The configurations of nginx and HAProxy in `deploy`: a rolling restart fails no request, and updates are sent once. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { program } from "../support/program.ts"
import * as Balancer from "./support/Balancer.ts"
import { eventually, eventuallySync } from "./support/Eventually.ts"
import * as FakeUpstream from "./support/FakeUpstream.ts"
import * as LoadBalancer from "./support/LoadBalancer.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"
import * as RawConnection from "./support/RawConnection.ts"
import * as TempFolder from "./support/TempFolder.ts"

const rounds = isFull ? 5 : 1

/** Below all addresses that `LoadGenerator` requests for this seed, besides those that repeat. */
const seedOf = (target: string): number =>
  Math.floor(Number(/0x[0-9a-f]{40}/.exec(target)?.[0] ?? 0) / 10_000_000)

const send = (port: number, method: string) =>
  Effect.async<number>((resume) => {
    const request = Http.request({ host: "127.0.0.1", port, method, path: "/", agent: false }, (response) => {
      response.resume()
      response.on("end", () => resume(Effect.succeed(response.statusCode ?? 0)))
    })
    request.on("error", () => resume(Effect.succeed(0)))
    request.end()
  })

/** A server that is ready. It either responds to all other requests, or closes their connections. */
const backend = (responds: boolean): Effect.Effect<
  { readonly port: number; readonly received: Array<string> },
  never,
  Scope.Scope
> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly server: Http.Server; readonly port: number; readonly received: Array<string> }>(
        (resume) => {
          const received: Array<string> = []
          const server = Http.createServer((request, response) => {
            if (request.url === "/readyz") return void response.end()
            received.push(request.method ?? "")
            if (responds) response.end()
            else request.socket.destroy()
          })
          server.listen(0, "127.0.0.1", () => {
            const bound = server.address()
            const port = typeof bound === "object" && bound !== null ? bound.port : 0
            resume(Effect.succeed({ server, port, received }))
          })
        }
      ),
      ({ server }) => Effect.sync(() => (server.closeAllConnections(), server.close()))
    ),
    ({ port, received }) => ({ port, received })
  )

const names = ["nginx", "haproxy"] as const
const installed = names.filter((name) => Balancer.programOf(name) !== undefined)
const missing = names.filter((name) => !installed.includes(name))
const skipReason = missing.length === 0 ? "" : ` (skipped: ${missing.join(" and ")} not installed)`

describe(`balancers${skipReason}`, () => {
  it.scopedLive.each(installed)(
    "%s repeats reads without a response, and no updates",
    (name) =>
      Effect.gen(function*() {
        const [broken, working] = yield* Effect.all([backend(false), backend(true)])
        const port = yield* Balancer.start(name, [broken.port, working.port])
        for (const method of ["GET", "POST"]) {
          const statuses: Array<number> = []
          // Until the broken server has received one: a balancer does not use it for a while after a failure
          yield* eventually(
            `${method} reaches the broken server`,
            Effect.map(send(port, method), (status) => {
              statuses.push(status)
              return broken.received.includes(method)
            })
          )
          const sent = [...broken.received, ...working.received].filter((received) => received === method)
          expect([method, statuses.at(-1)]).toEqual([method, method === "GET" ? 200 : 502])
          expect(sent).toHaveLength(statuses.length + (method === "GET" ? 1 : 0))
        }
      })
  )

  it.scopedLive.skipIf(installed.length === 0)(
    `${installed.join(" and ")} fail no request in a rolling restart of two proxies`,
    () =>
      Effect.gen(function*() {
        const upstream = yield* FakeUpstream.make
        const folder = yield* TempFolder.make
        const ports = yield* Effect.all([Balancer.freePort, Balancer.freePort])
        /** Starts a proxy with an API key that names it, so that the upstream knows which proxy sent a request. */
        const startProxy = (port: number, key: string) =>
          Effect.gen(function*() {
            yield* folder.write(key, key)
            const document = ProxyConfig.configDocument({
              url: upstream.url,
              keys: [{ name: "main", file: `./${key}` }],
              // The default, which the configurations rely on
              shutdownDelay: "5s",
              other: { listen: { port: 0, trustedProxies: ["127.0.0.1"] } }
            })
            const file = yield* folder.write(`${key}.yaml`, document)
            return yield* ProxyProcess.start(program, ["--config", file, "--port", String(port)])
          })
        const fleet = yield* Effect.forEach(ports, (port, index) =>
          Effect.map(startProxy(port, `key-of-proxy-${index}-0`), (process) => ({ port, index, process })))
        const balancers = yield* Effect.forEach(installed, (name) =>
          Balancer.start(name, ports))
        yield* Effect.forEach(balancers, (port) =>
          eventually("the balancer has a ready proxy", LoadBalancer.isReady(port)))
        const loads = yield* Effect.forEach(balancers, (port, index) =>
          LoadGenerator.start({ port, seed: index + 1, clients: { pool: 6, pipelined: 2, pausing: 4 } }))
        const reaches = (key: string) =>
          eventuallySync(`each balancer uses the proxy with ${key}`, () =>
            loads.every((_, index) =>
              upstream.received.some((request) =>
                request.key === key && seedOf(request.target) === index + 1
              )
            ))
        for (const { index } of fleet) {
          yield* reaches(`key-of-proxy-${index}-0`)
        }
        for (let round = 1; round <= rounds; round++) {
          for (const instance of fleet) {
            yield* instance.process.signal("SIGTERM")
            expect(yield* instance.process.exit).toEqual({ code: 0, signal: null })
            expect(yield* RawConnection.isNotListening(instance.port)).toBe(true)
            const key = `key-of-proxy-${instance.index}-${round}`
            instance.process = yield* startProxy(instance.port, key)
            yield* reaches(key)
          }
        }
        yield* Effect.forEach(loads, ({ stop }) =>
          stop)
        for (const [index, { requests }] of loads.entries()) {
          yield* Effect.log(`${installed[index]}: ${LoadGenerator.summarize(requests)}`)
          expect(LoadGenerator.unexpectedFailures(requests).slice(0, 5)).toEqual([])
        }
      }),
    60_000 * rounds
  )
})
