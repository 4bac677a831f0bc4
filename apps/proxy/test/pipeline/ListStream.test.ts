/** Backpressure of whole lists. The record `lists` has their lines. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import * as Tokens from "../../src/auth/Tokens.ts"
import { configuredTokens, examples, openAdmin, sendRequest, start, testClient } from "../support/proxy.ts"
import { upstreamOf } from "../support/staticUpstream.ts"

const { collection721, token } = examples

/** An endless list with pages of 1 MB, which exceed the socket buffers. */
const endlessList = () => {
  const requested = { pages: 0 }
  const record = { token_address: token, token_id: "1", metadata: "x".repeat(10_000) }
  const client = upstreamOf(() => {
    requested.pages += 1
    return Response.json({ result: Array(100).fill(record), cursor: `c${requested.pages}` })
  })
  return { requested, client }
}

const open = (
  port: number,
  path: string,
  headers: Http.OutgoingHttpHeaders = {}
): Effect.Effect<Http.IncomingMessage, Error> =>
  Effect.async((resume) => {
    const request = Http.get({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
      response.on("error", () => {})
      resume(Effect.succeed(response))
    })
    request.on("error", (error) => resume(Effect.fail(error)))
  })

describe("a client that stops reading", () => {
  it.scopedLive("pauses pagination, resumes it by reading, and ends it by disconnecting", () =>
    Effect.gen(function*() {
      const { requested, client: httpClient } = endlessList()
      const { lines: log, port } = yield* start({ httpClient })
      const others = (count: number) =>
        Effect.forEach(Array(count).fill("/livez"), (path) => sendRequest(port, path))
      const response = yield* open(port, `/all/api/v2.2/nft/${collection721}?chain=eth`)
      // Other requests are served meanwhile, and the list advances only as far as the socket buffers allow
      yield* others(100)
      const stopped = requested.pages
      yield* others(100)
      expect(requested.pages).toBe(stopped)
      expect(stopped).toBeLessThan(30)
      yield* Effect.async<void>((resume) => {
        response.once("close", () => resume(Effect.die("the list ended")))
        response.on("data", () => {
          if (requested.pages > stopped + 20) resume(Effect.void)
        })
      })
      response.destroy()
      yield* others(1).pipe(Effect.repeat({ until: () => log.length > 0, times: 1000 }))
      expect(JSON.parse(log[0] ?? "")).toMatchObject({ status: 499, route: "/all/api/v2.2/nft/:address" })
      const ended = requested.pages
      yield* others(50)
      expect(requested.pages).toBe(ended)
    }))
})

describe("a client that is disabled", () => {
  it.scopedLive("gets the page of its list that was requested, and then the cursor", () =>
    Effect.gen(function*() {
      const { client: httpClient } = endlessList()
      const { adminPort, port } = yield* start({
        httpClient,
        config: {
          clients: [testClient("shop", "token-of-shop")],
          admin: { ...openAdmin, tokens: configuredTokens([Tokens.hash("of-alice")]) }
        }
      })
      const response = yield* open(port, `/all/api/v2.2/nft/${collection721}?chain=eth`, {
        "x-api-key": "token-of-shop"
      })
      const disable = yield* sendRequest(adminPort ?? 0, "/disable?client=shop", {
        method: "POST",
        body: "",
        headers: { authorization: "Bearer of-alice" }
      })
      expect(disable.status).toBe(200)
      let end = ""
      yield* Effect.async<void>((resume) => {
        response.on("data", (chunk: Buffer) => end = (end + chunk.toString()).slice(-1000))
        response.on("end", () => resume(Effect.void))
      })
      expect(JSON.parse(end.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
        failure: { code: "client-disabled" },
        cursor: expect.any(String)
      })
    }))
})
