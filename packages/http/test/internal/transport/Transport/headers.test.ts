/** Tests the headers of requests over real sockets. */
import * as ApiOptions from "@blockquarry/http/ApiOptions"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { tokenPrice, updateStreamStatus } from "../../../support/Examples.ts"
import { failureOf } from "../../../support/Failures.ts"
import * as Server from "../../../support/Server.ts"
import * as TestClients from "../../../support/TestClients.ts"

/** Headers that fetch adds, as browsers do. */
const ofFetch = /^(accept-encoding|accept-language|cache-control|sec-fetch-mode|pragma)$/

describe.each(Server.clients)("with %s", (client, layer) => {
  it.scoped("sends the API key, the accepted type and the user agent, and no tracing headers", () =>
    Effect.gen(function*() {
      const server = yield* Server.make((response) => response.end("{}"))
      const userAgent = `my-service/1.2 ${ApiOptions.userAgent}`
      const options = { baseUrl: server.url, userAgent }
      const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, options)
      for (const example of [tokenPrice, updateStreamStatus]) {
        yield* example.call(clients).pipe(Effect.ignore, Effect.withSpan("a span of the program"))
      }
      const names = server.received.map(({ headers }) =>
        Object.keys(headers).filter((name) => client !== "fetch" || !ofFetch.test(name)).toSorted()
      )
      const common = ["accept", "connection", "host", "user-agent", "x-api-key"]
      expect(names).toEqual([common, [...common, "content-length", "content-type"].toSorted()])
      for (const { headers } of server.received) {
        expect(headers).toMatchObject({
          "accept": "application/json",
          "user-agent": userAgent,
          "x-api-key": TestClients.key
        })
      }
    }).pipe(Effect.provide(layer)))
})

it("the default user agent has the version of the package", () => {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../../../../package.json", import.meta.url), "utf8")
  )
  expect(manifest).toMatchObject({ version: ApiOptions.userAgent.replace("blockquarry/", "") })
})

describe("with fetch", () => {
  it.scoped("keeps the options of the program, and does not follow redirects all the same", () =>
    Effect.gen(function*() {
      const server = yield* Server.make((response) => {
        response.writeHead(302, { location: "/elsewhere" })
        response.end()
      })
      const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, { baseUrl: server.url })
      const call = Effect.provideService(tokenPrice.call(clients), FetchHttpClient.RequestInit, {
        headers: { "x-program": "of the program", "x-api-key": "of the program" },
        redirect: "follow"
      })
      expect(yield* failureOf(call)).toMatchObject({ _tag: "InvalidResponseError", kind: "redirect" })
      expect(server.received).toMatchObject([
        { headers: { "x-program": "of the program", "x-api-key": TestClients.key } }
      ])
    }).pipe(Effect.provide(FetchHttpClient.layer)))
})
