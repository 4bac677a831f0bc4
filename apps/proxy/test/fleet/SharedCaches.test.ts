/** Caches in front of the proxy store none of its own responses: Varnish with its built-in rules, and nginx with `proxy_cache`. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { reservedPort } from "../../../../packages/http/test/support/Server.ts"
import * as Tokens from "../../src/auth/Tokens.ts"
import { examples, sendRequest } from "../support/proxy.ts"
import * as Varnish from "../support/Varnish.ts"
import * as Balancer from "./support/Balancer.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"
import * as TempFolder from "./support/TempFolder.ts"

const nginx = (backend: number) =>
  Effect.gen(function*() {
    const port = yield* reservedPort
    const folder = yield* TempFolder.make
    const location =
      `location / { proxy_pass http://127.0.0.1:${backend}; proxy_cache all; proxy_cache_valid any 1h; }`
    const http = `proxy_cache_path ${folder.path("cache")} keys_zone=all:1m;
      server { listen 127.0.0.1:${port}; ${location} }`
    yield* Balancer.launchNginx(folder, http, port)
    return port
  })

const caches = {
  varnish: { start: Varnish.start, program: Varnish.program },
  nginx: { start: nginx, program: Balancer.programOf("nginx") }
}
const names = ["varnish", "nginx"] as const
const missing = names.filter((name) => caches[name].program === undefined)
const skipReason = missing.length === 0 ? "" : ` (skipped: ${missing.join(" and ")} not installed)`

const token = "token-of-the-client"
const restricted = "token-of-a-client-without-the-chain"
const price = `/api/v2.2/erc20/${examples.token}/price?chain=eth`

describe(`a cache in front of the proxy${skipReason}`, () => {
  it.scopedLive.each(names.filter((name) => !missing.includes(name)))(
    "%s serves no response of one client to another, and no probe of before a drain",
    (name) =>
      Effect.gen(function*() {
        const folder = yield* TempFolder.make
        const file = yield* folder.write(
          "proxy.yaml",
          JSON.stringify({
            listen: { port: 0 },
            admin: { port: 0, open: "all" },
            upstream: { sandbox: true },
            clients: [
              { name: "client", tokens: [Tokens.hash(token)] },
              { name: "restricted", tokens: [Tokens.hash(restricted)], chains: ["polygon"] }
            ],
            // The test ends the process.
            shutdown: { delay: "10m" }
          })
        )
        const proxy = yield* ProxyProcess.start(["--config", file])
        const port = yield* caches[name].start(proxy.port)
        const status = (path: string, key?: string) =>
          Effect.map(
            sendRequest(port, path, { headers: key === undefined ? {} : { "x-api-key": key } }),
            ({ status }) => status
          )
        const keys = ["unknown", undefined, token, restricted]
        expect(yield* Effect.forEach([...keys, ...keys], (key) => status(price, key)))
          .toEqual([401, 401, 200, 403, 401, 401, 200, 403])
        const admin = yield* caches[name].start(Number(new URL(proxy.adminOrigin).port))
        const metrics = Effect.map(sendRequest(admin, "/metrics"), ({ text }) => text)
        expect(yield* metrics).not.toBe(yield* metrics)
        expect(yield* Effect.all([status("/livez"), status("/readyz")])).toEqual([200, 200])
        yield* proxy.signal("SIGTERM")
        yield* ProxyProcess.notReady(proxy.port)
        expect(yield* Effect.all([status("/livez"), status("/readyz")])).toEqual([200, 503])
      })
  )
})
