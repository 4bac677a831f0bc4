/** Requests through the proxy of the environment. */
import * as HttpClient from "@effect/platform/HttpClient"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, request } from "node:http"
import { HttpTransport, layer } from "../../src/connection/HttpTransport.ts"
import { runProcess } from "../support/process.ts"
import { serveSandbox } from "../support/server.ts"

/** Starts a proxy that forwards requests, opens no tunnels, and records the targets. */
const forwardingProxy: Effect.Effect<
  { readonly url: string; readonly targets: ReadonlyArray<string> },
  never,
  Scope.Scope
> = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly targets: Array<string>; readonly close: () => void }>(
    (resume) => {
      const targets: Array<string> = []
      const server = createServer(({ headers, url = "" }, response) => {
        targets.push(new URL(url).host)
        request(url, { headers, agent: false }, (received) => {
          response.writeHead(received.statusCode ?? 502, received.headers)
          received.pipe(response)
        }).end()
      }).on("connect", (_, client) => client.end("HTTP/1.1 403 Forbidden\r\n\r\n"))
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port ?? 0 : 0
        resume(Effect.succeed({
          url: `http://127.0.0.1:${port}`,
          targets,
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

/** Sets proxy variables of this process, and removes all others until the scope ends. */
const setProxy = (variables: Readonly<Record<string, string>>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const names = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()])
      const previous = names.map((name) => [name, process.env[name]] as const)
      for (const name of names) delete process.env[name]
      Object.assign(process.env, variables)
      return previous
    }),
    (previous) =>
      Effect.sync(() => {
        for (const [name, value] of previous) {
          delete process.env[name]
          if (value !== undefined) process.env[name] = value
        }
      })
  ).pipe(Effect.asVoid)

const get = (url: string) =>
  Effect.gen(function*() {
    const { network } = yield* HttpTransport
    const response = yield* Effect.provide(
      Effect.scoped(Effect.flatMap(HttpClient.HttpClient, (client) => client.get(url))),
      yield* network("few-requests")
    )
    return response.status
  }).pipe(Effect.provide(layer))

it.live("go through the proxy of HTTP_PROXY, except to the hosts of NO_PROXY", () =>
  Effect.gen(function*() {
    const { QUARRY_BASE_URL = "" } = yield* serveSandbox
    const proxy = yield* forwardingProxy
    const { host } = new URL(QUARRY_BASE_URL)
    yield* setProxy({ HTTP_PROXY: proxy.url })
    expect(yield* get(QUARRY_BASE_URL)).toBeGreaterThan(0)
    expect(proxy.targets).toEqual([host])
    yield* setProxy({ HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" })
    expect(yield* get(QUARRY_BASE_URL)).toBeGreaterThan(0)
    expect(proxy.targets).toEqual([host])
  }).pipe(Effect.scoped))

it.live("fail with the name of an invalid variable, and not with its value", () =>
  Effect.gen(function*() {
    yield* setProxy({ https_proxy: "ana:hunter22@proxy.test" })
    const error = yield* Effect.flip(get("https://a.test"))
    expect(error).toMatchObject({ _tag: "UsageError", reason: expect.stringContaining("https_proxy") })
    expect(JSON.stringify(error)).not.toContain("hunter22")
  }).pipe(Effect.scoped))

it.live("go through the proxy that quarry doctor checks, also where the name in lower case is empty", () =>
  Effect.gen(function*() {
    const served = yield* serveSandbox
    const { targets, url } = yield* forwardingProxy
    const run = (argv: ReadonlyArray<string>, variables: Readonly<Record<string, string>>) =>
      Effect.promise(() => runProcess(argv, { ...served, ...variables }))
    const unreachable = "http://127.0.0.1:1"
    for (
      const [variables, isUsed] of [
        [{ http_proxy: "", HTTP_PROXY: unreachable }, false],
        [{ http_proxy: url, HTTP_PROXY: unreachable }, true],
        [{ no_proxy: "", NO_PROXY: "127.0.0.1", HTTP_PROXY: url }, true],
        [{ no_proxy: "127.0.0.1", NO_PROXY: "", HTTP_PROXY: unreachable }, false]
      ] as const
    ) {
      const sent = targets.length
      const checked = yield* run(["doctor"], variables)
      expect([variables, checked.code, checked.out]).toEqual([
        variables,
        0,
        expect.not.stringMatching(/^failed/m)
      ])
      expect([variables, checked.out.includes(": proxy "), targets.length > sent]).toEqual([
        variables,
        isUsed,
        isUsed
      ])
    }
    // A client reads a variable as it is, and so does the check
    const { code, out } = yield* run(["doctor"], { HTTP_PROXY: ` ${url} ` })
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/^failed +base-url: connection: HTTP_PROXY: expected a URL/m)
    ])
  }).pipe(Effect.scoped))
