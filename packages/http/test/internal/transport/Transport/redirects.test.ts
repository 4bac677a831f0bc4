/** Tests that redirects are not followed, and which URLs are requested. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tokenPrice, updateStreamStatus } from "../../../support/Examples.ts"
import { failureOf } from "../../../support/Failures.ts"
import * as Server from "../../../support/Server.ts"
import * as TestClients from "../../../support/TestClients.ts"

describe.each(Server.clients)("with %s", (_, layer) => {
  it.scoped.each([300, 301, 302, 303, 307, 308])(
    "does not follow a %d to another host",
    (status) =>
      Effect.gen(function*() {
        const other = yield* Server.make((response) => response.end("{}"))
        const server = yield* Server.make((response) => {
          response.writeHead(status, { location: `${other.url}/elsewhere` })
          response.end()
        })
        const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, { baseUrl: server.url })
        for (const example of [tokenPrice, updateStreamStatus]) {
          const error = yield* failureOf(example.call(clients))
          expect(error).toMatchObject({
            _tag: "InvalidResponseError",
            kind: "redirect",
            status,
            mayHaveBeenApplied: false
          })
          expect(error.message).toContain("redirects are not followed")
        }
        expect(other.received).toEqual([])
        expect(server.received).toHaveLength(2)
      }).pipe(Effect.provide(layer))
  )

  it.scoped("does not follow a redirect to another path of the same host", () =>
    Effect.gen(function*() {
      const server = yield* Server.make((response) => {
        response.writeHead(302, { location: "/elsewhere" })
        response.end()
      })
      const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, { baseUrl: server.url })
      expect((yield* failureOf(tokenPrice.call(clients)))._tag).toBe("InvalidResponseError")
      expect(server.received).toHaveLength(1)
    }).pipe(Effect.provide(layer)))

  it.scoped("keeps the path of the base URL and encodes parameters", () =>
    Effect.gen(function*() {
      const server = yield* Server.make((response) => response.end("{}"))
      const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
        baseUrl: `${server.url}/base/`
      })
      yield* failureOf(clients.streams.updateStreamStatus({ id: "a;b?c#d 100% é", status: "active" }))
      expect(server.received).toMatchObject([
        { method: "POST", url: "/base/streams/evm/a%3Bb%3Fc%23d%20100%25%20%C3%A9/status" }
      ])
    }).pipe(Effect.provide(layer)))
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
