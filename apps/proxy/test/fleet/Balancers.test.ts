/** The configurations of nginx and HAProxy in `deploy`: a rolling restart fails no request, and updates are sent once. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { reservedPort } from "../../../../packages/http/test/support/Server.ts"
import { find } from "../deploy/support/program.ts"
import { sendRequest } from "../support/proxy.ts"
import * as Balancer from "./support/Balancer.ts"
import { eventually } from "./support/Eventually.ts"
import * as FakeUpstream from "./support/FakeUpstream.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"

const rounds = isFull ? 5 : 1

const names = ["nginx", "haproxy"] as const
const installed = names.filter((name) => find(name) !== undefined)
const missing = names.filter((name) => !installed.includes(name))
const skipReason = missing.length === 0 ? "" : ` (skipped: ${missing.join(" and ")} not installed)`

describe.concurrent(`balancers${skipReason}`, () => {
  it.scopedLive.each(installed)(
    "%s repeats reads without a response, and no updates",
    (name) =>
      Effect.gen(function*() {
        const [broken, working] = yield* Effect.all([FakeUpstream.make, FakeUpstream.make])
        broken.respond = ({ target }) => Effect.succeed(target === "/readyz" ? null : "disconnect")
        const port = yield* Balancer.start(name, [broken.port, working.port])
        for (const method of ["GET", "POST"]) {
          const received = (server: FakeUpstream.FakeUpstream) =>
            server.received.filter((request) => request.target === "/price" && request.method === method)
              .length
          const statuses: Array<number> = []
          // Until the broken server has received one: a balancer does not use it for a while after a failure
          yield* eventually(
            `${method} reaches the broken server`,
            Effect.map(sendRequest(port, "/price", { method }), ({ status }) => {
              statuses.push(status)
              return received(broken) > 0
            })
          )
          expect([method, statuses.at(-1)]).toEqual([method, method === "GET" ? 200 : 502])
          expect(received(broken) + received(working)).toBe(statuses.length + (method === "GET" ? 1 : 0))
        }
      })
  )

  it.scopedLive.skipIf(installed.length === 0)(
    `${installed.join(" and ")} fail no request while proxies restart`,
    () =>
      Effect.gen(function*() {
        // The shutdown delay is the default, which the configurations rely on
        const { upstream, write } = yield* ProxyConfig.folder()
        /** Starts a proxy with an API key that names it, so that the upstream knows which proxy sent a request. */
        const startProxy = (port: number, key: string) =>
          Effect.gen(function*() {
            const other = { listen: { port: 0, trustedProxies: ["127.0.0.1"] } }
            const file = yield* write(`${key}.yaml`, { key: { name: key }, shutdown: { delay: "5s" }, other })
            return yield* ProxyProcess.start(["--config", file, "--port", String(port)])
          })
        const [first, second] = yield* Effect.all([reservedPort, reservedPort])
        const fleet = yield* Effect.forEach([first, second], (port, index) =>
          Effect.map(startProxy(port, `proxy-${index}-0`), (process) => ({ port, index, process })))
        const loads = yield* Effect.forEach(installed, (name, index) =>
          Effect.gen(function*() {
            const port = yield* Balancer.start(name, [first, second])
            yield* eventually(`${name} has a ready proxy`, ProxyProcess.isReady(port))
            return yield* LoadGenerator.start({
              port: () =>
                port,
              seed: index + 1,
              clients: { busy: 3, pipelined: 2, pausing: 3 }
            })
          }))
        const reaches = (key: string) =>
          eventually(`each balancer uses the proxy with ${key}`, () =>
            loads.every((_, index) =>
              upstream.received.some((request) =>
                request.key === ProxyConfig.secretOf(key) &&
                LoadGenerator.seedOf(request.target) === index + 1
              )
            ))
        for (const { index } of fleet) {
          yield* reaches(`proxy-${index}-0`)
        }
        for (let round = 1; round <= rounds; round++) {
          for (const instance of isFull ? fleet : fleet.slice(0, 1)) {
            yield* instance.process.signal("SIGTERM")
            expect(yield* instance.process.exit).toEqual(ProxyProcess.stopped)
            const key = `proxy-${instance.index}-${round}`
            instance.process = yield* startProxy(instance.port, key)
            yield* reaches(key)
          }
        }
        for (const { stop } of loads) {
          expect(yield* stop()).toEqual([])
        }
      })
  )
})
