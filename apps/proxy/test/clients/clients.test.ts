/**
 * HTTP clients of many languages use the proxy: directly, as a forward proxy, and
 * behind nginx, HAProxy and Varnish; one, or two that share Redis, Valkey or twemproxy. Part
 * `clients` of `.ci/full`.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { reservedPort } from "../../../../packages/http/test/support/Server.ts"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import { find } from "../deploy/support/program.ts"
import * as Balancer from "../fleet/support/Balancer.ts"
import type { ConditionTimeout } from "../fleet/support/Eventually.ts"
import * as FakeUpstream from "../fleet/support/FakeUpstream.ts"
import * as ProxyConfig from "../fleet/support/ProxyConfig.ts"
import * as ProxyProcess from "../fleet/support/ProxyProcess.ts"
import * as TempFolder from "../fleet/support/TempFolder.ts"
import { sendRequest } from "../support/proxy.ts"
import * as HttpClients from "./HttpClients.ts"

const missing = [
  ...HttpClients.missing,
  ...["ab", "nginx", "haproxy", "varnishd", "redis-server", "valkey-server", "nutcracker"].filter((name) =>
    find(name) === undefined
  )
]

const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}`

/** Responses of the upstream with this number at the end of the address have 100 KB. */
const large = 0xbb
/** The second page of this wallet is an error. */
const broken = 0xff

const token = { "x-api-key": "token-of-shop" }

/** What is between clients and proxies, and which store proxies share. */
interface Setup {
  readonly forward?: boolean
  readonly front?: (ports: readonly [number, number]) => Effect.Effect<number, ConditionTimeout, Scope.Scope>
  readonly store?: Effect.Effect<string, ConditionTimeout | RedisServer.Unavailable, Scope.Scope>
}

/** A request, by its path, and what happens besides what a plain client sees. */
interface Scenario {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The client has to report an error instead of a response. */
  readonly fails?: true
}

/** Each run has its own addresses, so that nothing it requests first is cached. */
const scenariosOf = (run: number): Readonly<Record<string, Scenario>> => {
  const price = (index: number) => `/api/v2.2/erc20/${address(run * 0x100 + index)}/price?chain=0x1`
  const list = (index: number) => `/all/api/v2.2/${address(run * 0x100 + index)}/erc20/transfers?limit=3`
  const json = { ...token, "content-type": "application/json" }
  return {
    "a request without a token": { path: price(1), headers: {} },
    "the same request with a token": { path: price(1) },
    "a cached response": { path: price(1) },
    "only the head": { path: price(1), method: "HEAD" },
    "a large response": { path: price(large) },
    "an unknown path": { path: "/unknown" },
    "a used up quota of a month": { path: price(2), headers: { "x-api-key": "token-of-used" } },
    "another client": { path: price(2) },
    "a list": { path: list(3) },
    "a list whose second page fails": { path: list(broken), fails: true },
    "a request after the list that failed": { path: price(4) },
    "an update": {
      path: `/streams/evm/3fa85f64-5717-4562-b3fc-${String(run).padStart(12, "0")}/status`,
      method: "POST",
      headers: json,
      body: `{"status":"paused"}`
    }
  }
}

/** Starts a proxy, or two that share a store. */
const startProxies = (redisUrl: string | undefined) =>
  Effect.gen(function*() {
    const { upstream, write } = yield* ProxyConfig.folder()
    upstream.respond = ({ target }) => {
      const url = new URL(target, "http://upstream")
      const index = Number.parseInt(/0x[0-9a-f]{38}([0-9a-f]{2})/.exec(url.pathname)?.[1] ?? "0", 16)
      return Effect.succeed(
        index === large
          ? { status: 200, body: FakeUpstream.price("large", { tokenSymbol: "x".repeat(100_000) }) }
          : index === broken && url.searchParams.has("cursor")
          ? { status: 404, body: `{"message":"this page does not exist"}` }
          : target.endsWith("/status")
          ? { status: 200, body: `{"id":"stream","status":"paused"}` }
          : null
      )
    }
    const file = yield* write("clients.yaml", {
      upstream: { baseUrls: { data: upstream.url, streams: upstream.url } },
      clients: [
        { name: "shop", token: "token-of-shop", scopes: ["read", "write"] },
        { name: "used", token: "token-of-used", monthlyQuota: 50 }
      ],
      other: {
        listen: { port: 0, trustedProxies: ["127.0.0.1"] },
        cache: { enabled: true },
        costs: { tokenPrice: { price: 50, rateCost: 1 } },
        ...(redisUrl === undefined ? {} : { redis: { url: redisUrl } })
      }
    })
    const proxy = ProxyProcess.start(["--config", file])
    const { port } = yield* proxy
    const other = redisUrl === undefined ? port : (yield* proxy).port
    // Uses up the quota
    const used = { headers: { "x-api-key": "token-of-used" } }
    yield* sendRequest(port, `/api/v2.2/erc20/${address(0xeeee)}/price`, used)
    return { ports: [port, other] as const, upstream }
  })

const nutcracker = find("nutcracker")

/** The URL of a store. */
const store = (program: string) => Effect.map(RedisServer.make({ program }), ({ url }) => url)

const twemproxy = Effect.gen(function*() {
  const redis = yield* store("redis-server")
  const port = yield* reservedPort
  const folder = yield* TempFolder.make
  // Its parser does not read JSON.
  const file = yield* folder.write(
    "nutcracker.yml",
    `pool:\n  listen: 127.0.0.1:${port}\n  redis: true\n  servers:\n    - ${new URL(redis).host}:1\n`
  )
  yield* Balancer.launch(nutcracker ?? "", ["-c", file, "-p", folder.path("pid")], port)
  return `redis://127.0.0.1:${port}`
})

/** Starts Varnish with its built-in rules, and waits until it accepts connections. Returns its port. */
const startVarnish = (backend: number) =>
  Effect.gen(function*() {
    const port = yield* reservedPort
    const folder = yield* TempFolder.make
    const rules = yield* folder.write(
      "default.vcl",
      `vcl 4.1; backend default { .host = "127.0.0.1"; .port = "${backend}"; }`
    )
    // Without a jail: with one, Varnish of a root user could not read the folder
    const args = `-j none -F -n ${folder.path(".")} -a 127.0.0.1:${port} -f ${rules} -s malloc,16m`.split(" ")
    yield* Balancer.launch(find("varnishd") ?? "", args, port)
    return port
  })

const behind = (name: Balancer.BalancerName) => (ports: readonly [number, number]) =>
  Balancer.start(name, ports)

const direct = ([port]: readonly [number, number]) => Effect.succeed(port)

const setups: Readonly<Record<string, Setup>> = {
  "without anything between": {},
  "as a forward proxy": { forward: true },
  "behind nginx": { front: behind("nginx") },
  "behind HAProxy": { front: behind("haproxy") },
  "behind Varnish": { front: ([port]) => startVarnish(port) },
  "behind nginx from two proxies that share Redis": { front: behind("nginx"), store: store("redis-server") },
  "behind HAProxy from two proxies that share Valkey": {
    front: behind("haproxy"),
    store: store("valkey-server")
  },
  "behind nginx from two proxies that share Redis behind twemproxy": {
    front: behind("nginx"),
    store: twemproxy
  }
}

describe("HTTP clients", () => {
  it("are installed, and what is between them and the proxy", () => expect(missing).toEqual([]))

  it.each(Object.entries(setups))(
    "get the same responses %s",
    (_, { forward = false, front = direct, store = Effect.succeed(undefined) }) =>
      Effect.gen(function*() {
        expect(yield* HttpClients.compile).toBe("")
        const { ports, upstream } = yield* Effect.flatMap(store, startProxies)
        const port = yield* front(ports)
        // Clients send the absolute form to a forward proxy
        const env = forward ? { http_proxy: `http://127.0.0.1:${port}`, no_proxy: "" } : {}
        const runs = HttpClients.clients.entries()
        const failures = yield* Effect.forEach(runs, ([run, client]) =>
          Effect.gen(function*() {
            const failures: Array<string> = []
            const scenarios = scenariosOf(run + 1)
            const requests = Object.values(scenarios).map((
              { body = "", headers = token, method = "GET", path }
            ) => ({
              method,
              url: `http://127.0.0.1:${port}${path}`,
              headers,
              body
            }))
            const seen = yield* HttpClients.send(client, requests, env)
            for (const name of ["the same request with a token", "an update"]) {
              const count = upstream.received.filter(({ target }) => target === scenarios[name]?.path).length
              if (count !== 1) failures.push(`${client.name}, ${name}: sent ${count} times to the upstream`)
            }
            for (
              const [position, [name, { fails, path, ...options }]] of Object.entries(scenarios).entries()
            ) {
              const { bytes, status } = fails === true
                ? { bytes: Buffer.alloc(0), status: 0 }
                : yield* sendRequest(ports[0], path, { headers: token, ...options })
              const expected = fails === true ? "error" : HttpClients.resultOf(status, bytes)
              const actual = seen[position] ?? ""
              if (fails === true ? !actual.startsWith("error\t") : actual !== expected) {
                failures.push(`${client.name}, ${name}: expected ${expected}, got ${actual}`)
              }
            }
            return failures
          }), { concurrency: 3 })
        expect(failures.flat()).toEqual([])
      }).pipe(Effect.scoped, Effect.runPromise)
  )

  it.scopedLive("ApacheBench, with HTTP/1.0 and persistent connections, loses no request", () =>
    Effect.gen(function*() {
      const { ports: [port] } = yield* startProxies(undefined)
      const url = `http://127.0.0.1:${port}/api/v2.2/erc20/${address(1)}/price`
      const args = ["-q", "-k", "-n", "5000", "-c", "20", "-H", "X-API-Key: token-of-shop", url]
      const { stdout } = yield* Effect.promise(() => promisify(execFile)("ab", args))
      const figure = (name: string) => new RegExp(`^${name}: +(\\d+)`, "m").exec(stdout)?.[1]
      expect([figure("Complete requests"), figure("Failed requests"), figure("Non-2xx responses")])
        .toEqual(["5000", "0", undefined])
    }))
})
