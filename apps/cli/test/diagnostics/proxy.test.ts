/** Requests through the proxy of the environment. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer, request } from "node:http"
import { exampleValues } from "../../src/help/Help.ts"
import { runProcess } from "../support/process.ts"
import { listen, serveSandbox } from "../support/server.ts"

/** Starts a proxy that forwards requests, opens no tunnels, and records the targets. */
const forwardingProxy = async () => {
  const targets: Array<string> = []
  const server = createServer(({ headers, url = "" }, response) => {
    targets.push(new URL(url).host)
    request(url, { headers, agent: false }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers)
      received.pipe(response)
    }).end()
  }).on("connect", (_, client) => client.end("HTTP/1.1 403 Forbidden\r\n\r\n"))
  return { targets, url: await listen(server) }
}

it("fail with the name of an invalid variable, and not with its value", async () => {
  const { code, err } = await runProcess(["token", "price", exampleValues.token], {
    QUARRY_API_KEY: Sandbox.apiKey,
    QUARRY_BASE_URL: "https://a.test",
    https_proxy: "ana:hunter22@proxy.test"
  })
  expect([code, err]).toEqual([2, expect.stringContaining("https_proxy")])
  expect(err).not.toContain("hunter22")
})

it.live("go through the proxy that quarry doctor checks, also where the name in lower case is empty", () =>
  Effect.gen(function*() {
    const served = yield* serveSandbox
    const { targets, url } = yield* Effect.promise(forwardingProxy)
    const run = (argv: ReadonlyArray<string>, variables: Readonly<Record<string, string>>) =>
      Effect.promise(() => runProcess(argv, { ...served, ...variables }))
    const unreachable = "http://127.0.0.1:1"
    for (
      const [variables, isUsed] of [
        [{ http_proxy: "", HTTP_PROXY: unreachable }, false],
        [{ no_proxy: "", NO_PROXY: "127.0.0.1", HTTP_PROXY: url }, true]
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
