import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { Agent, get as httpGet } from "node:http"
import { connect } from "node:net"
import * as Sandbox from "../src/Sandbox.ts"
import * as Server from "../src/Server.ts"
import { bodyBytes } from "../src/service/HttpMessage.ts"
import { dataUrl, examples, ledger } from "./service/support.ts"

const chains = dataUrl(`/wallets/${examples.wallet}/chains`)
const headers = (fault?: string): Record<string, string> => ({
  "x-api-key": Sandbox.apiKey,
  ...(fault === undefined ? {} : { [Sandbox.faultHeader]: fault })
})

const layer = Server.layer({ ledger })

/** Everything that a raw socket receives until it closes. */
const raw = (port: number, fault: string) =>
  Effect.async<{ readonly text: string; readonly error: string | undefined }>((resume) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    let error: string | undefined
    socket.on("data", (chunk) => {
      text += String(chunk)
    })
    socket.on("error", (cause: NodeJS.ErrnoException) => {
      error = cause.code
    })
    socket.on("close", () => resume(Effect.succeed({ text, error })))
    socket.write(
      `GET ${chains} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${Sandbox.apiKey}\r\nX-Sandbox-Fault: ${fault}\r\n\r\n`
    )
  })

const bodyOf = (text: string) => text.slice(text.indexOf("\r\n\r\n") + 4)
const lengthOf = (text: string) => Number(/content-length: (\d+)/i.exec(text)?.[1])

describe("the server", () => {
  it.live("returns the same bytes as the in-process sandbox", () =>
    Effect.gen(function*() {
      const { origin } = yield* Server.SandboxServer
      const inProcess = yield* Sandbox.make({ ledger })
      const paths = [dataUrl(`/${examples.wallet}/erc20/transfers`, { limit: 3 }), chains, "/nowhere"]
      for (const path of paths) {
        const served = yield* Effect.promise(() => fetch(`${origin}${path}`, { headers: headers() }))
        const expected = yield* inProcess.handle({ method: "GET", url: path, headers: headers(), body: "" })
        expect(served.status).toBe(expected.status)
        for (const [name, value] of Object.entries(expected.headers)) {
          expect(served.headers.get(name)).toBe(value)
        }
        expect(new Uint8Array(yield* Effect.promise(() => served.arrayBuffer()))).toEqual(bodyBytes(expected))
      }
    }).pipe(Effect.provide(layer)))

  it.live("accepts request bodies", () =>
    Effect.gen(function*() {
      const { urls } = yield* Server.SandboxServer
      const sandbox = yield* Sandbox.Sandbox
      const post = (body: string) =>
        Effect.promise(() =>
          fetch(`${urls.streams}/streams/evm/${examples.stream}/status`, {
            method: "POST",
            headers: headers(),
            body
          })
        )
      expect((yield* post(`{"status":"terminated"}`)).status).toBe(200)
      expect((yield* sandbox.streams).get(examples.stream)?.["status"]).toBe("terminated")
    }).pipe(Effect.provide(layer)))

  it.live("lets web pages of any origin send requests and read responses", () =>
    Effect.gen(function*() {
      const { origin } = yield* Server.SandboxServer
      const request = (init: RequestInit) => Effect.promise(() => fetch(`${origin}${chains}`, init))
      const preflight = yield* request({
        method: "OPTIONS",
        headers: { "origin": "https://app.example.com", "access-control-request-headers": "x-api-key" }
      })
      expect(preflight.status).toBe(204)
      expect(Object.fromEntries(preflight.headers)).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "GET, POST",
        "access-control-allow-headers": "x-api-key, content-type, x-sandbox-fault"
      })
      for (const fault of [undefined, "status=503"]) {
        const response = yield* request({ headers: headers(fault) })
        expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([
          fault === undefined ? 200 : 503,
          "*"
        ])
      }
    }).pipe(Effect.provide(layer)))

  it.live("injects transport faults on the socket", () =>
    Effect.gen(function*() {
      const { port } = yield* Server.SandboxServer
      const reset = yield* raw(port, "reset")
      expect(reset).toEqual({ text: "", error: "ECONNRESET" })
      const truncated = yield* raw(port, "truncate")
      expect(truncated.error).toBeUndefined()
      expect(bodyOf(truncated.text).length).toBe(Math.floor(lengthOf(truncated.text) / 2))
    }).pipe(Effect.provide(layer)))

  it.live("stops after shutdownTimeout despite idle connections and requests without end", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ ledger })
      const scope = yield* Scope.make()
      const { port, urls } = yield* Server.serve({ shutdownTimeout: 50 }).pipe(
        Effect.provideService(Sandbox.Sandbox, sandbox),
        Scope.extend(scope)
      )
      const agent = new Agent({ keepAlive: true })
      yield* Effect.async<void>((resume) => {
        httpGet(`${urls.data}${chains}`, { agent, headers: headers() }, (response) => {
          response.resume().once("end", () => resume(Effect.void))
        })
      })
      const stalled = yield* Effect.fork(raw(port, "stall"))
      const hanging = yield* Effect.fork(raw(port, "hang"))
      yield* Effect.repeat(sandbox.recordedRequests, {
        until: (requests) => requests.length === 3,
        schedule: Schedule.spaced("5 millis")
      })
      yield* Scope.close(scope, Exit.void)
      expect((yield* hanging).text).toBe("")
      const { text } = yield* stalled
      expect(bodyOf(text).length).toBe(Math.floor(lengthOf(text) / 2))
      const refused = yield* Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/`)).pipe(Effect.exit)
      expect(Exit.isFailure(refused)).toBe(true)
      agent.destroy()
    }))

  it.live("reports the address if it cannot listen", () =>
    Effect.gen(function*() {
      const { port } = yield* Server.SandboxServer
      const failure = yield* Effect.flip(Layer.launch(Server.layer({ ledger, port })))
      expect(failure).toMatchObject({ _tag: "ListenError", port, code: "EADDRINUSE" })
      expect(failure.message).toContain(String(port))
    }).pipe(Effect.provide(layer)))

  it.live("prints example requests that succeed", () =>
    Effect.gen(function*() {
      const running = yield* Server.SandboxServer
      const sandbox = yield* Sandbox.Sandbox
      const lines = Server.banner(running, sandbox)
      const urls = lines.flatMap((line) =>
        line.includes("curl -s -H") ? /'(http[^']+)'/.exec(line)?.slice(1) ?? [] : []
      )
      expect(urls.length).toBeGreaterThan(9)
      for (const url of urls) {
        const response = yield* Effect.promise(() => fetch(url, { headers: headers() }))
        expect({ url, status: response.status }).toEqual({ url, status: 200 })
      }
      const exports = lines.filter((line) => line.includes("export "))
      expect(exports).toEqual([
        `  export QUARRY_BASE_URL=${running.origin} QUARRY_STREAMS_URL=${running.origin} ` +
        `QUARRY_LEDGER_URL=${running.origin} QUARRY_LEDGER_TESTNET_URL=${running.origin}/testnet ` +
        `QUARRY_API_KEY=${Sandbox.apiKey}`
      ])
    }).pipe(Effect.provide(layer)))
})
