/** The server with handlers of its own. `apps/proxy/test/server` tests it with clients that behave badly. */
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import * as Net from "node:net"
import type { HttpRequest } from "../src/HttpRequest.ts"
import * as HttpResponse from "../src/HttpResponse.ts"
import * as HttpServer from "../src/HttpServer.ts"

const reply = HttpResponse.json(200, {})

const onComplete = () => {}

/** Starts a server, and returns its port. */
const start = (respond: (request: HttpRequest) => Effect.Effect<HttpResponse.HttpResponse>) =>
  Effect.gen(function*() {
    const server = yield* HttpServer.make({
      listen: { host: "127.0.0.1", port: 0 },
      limits: {
        maxConnections: 100,
        idleConnectionShare: 1,
        maxHeaderBytes: 16_384,
        requestTimeout: "30 seconds",
        sendIdleTimeout: "30 seconds",
        sendTimeout: "30 seconds",
        minSendRate: 1
      },
      isTrustedPeer: () => false,
      keepAliveHint: 0,
      shutdownDelay: Effect.succeed(0),
      shutdownTimeout: 0,
      handler: {
        handle: (request) => ({ response: respond(request), onComplete }),
        reject: () => ({ response: Effect.succeed(reply), onComplete })
      }
    })
    yield* server.listen
    return server.port() ?? 0
  }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))

const statusOf = (port: number, path: string) =>
  Effect.async<number | undefined, Error>((resume) => {
    Http.get({ port, path, host: "127.0.0.1" }, (response) =>
      resume(Effect.succeed(response.resume().statusCode)))
      .on("error", (error) =>
        resume(Effect.fail(error)))
  })

describe("a response that cannot be created or sent", () => {
  const broken = { ...reply, headers: { "x-broken": "a\nb" } }

  it.scopedLive.each<[string, () => Effect.Effect<HttpResponse.HttpResponse>]>([
    ["the handler throws", () => {
      throw new Error("routing failed")
    }],
    ["the effect dies", () => Effect.die(new Error("the handler failed"))],
    ["a header is invalid", () => Effect.succeed(broken)],
    ["a header is invalid, after a wait", () => Effect.delay(Effect.succeed(broken), 1)]
  ])("closes the connection: %s", ([, respond]) =>
    Effect.gen(function*() {
      const port = yield* start(respond)
      expect(yield* Effect.flip(statusOf(port, "/"))).toMatchObject({ code: "ECONNRESET" })
    }))
})

describe("a stream that ends before its end", () => {
  /** Starts a server that sends a chunk, and the rest of its body once the client has read that. */
  const startList = (rest: Effect.Effect<never, HttpResponse.IncompleteBodyError>) =>
    Effect.gen(function*() {
      const read = yield* Deferred.make<void>()
      const body = Stream.concat(
        Stream.make(new TextEncoder().encode("first")),
        Stream.fromEffect(Effect.zipRight(Deferred.await(read), rest))
      )
      return { read, port: yield* start(() => Effect.succeed({ ...reply, body })) }
    })

  /** Returns how the connection of a client ends, and what it reads last. */
  const ending = (version: string, { port, read }: Effect.Effect.Success<ReturnType<typeof startList>>) =>
    Effect.async<readonly [ending: string, last: string]>((resume) => {
      let text = ""
      const socket = Net.connect(
        port,
        "127.0.0.1",
        () => socket.write(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`)
      )
      const done = (ending: string) => resume(Effect.succeed([ending, text.trimEnd().slice(-5)]))
      socket.on("data", (piece) => {
        text += piece.toString()
        if (text.includes("first")) Deferred.unsafeDone(read, Effect.void)
      })
      socket.on("end", () => done("end"))
      socket.on("error", (error: NodeJS.ErrnoException) => done(error.code ?? ""))
    })

  const fails = Effect.fail(new HttpResponse.IncompleteBodyError())
  const dies = Effect.die(new Error("the stream died"))

  it.scopedLive.each(
    [
      ["it fails", "1.1", "end", fails],
      ["it fails", "1.0", "ECONNRESET", fails],
      ["it dies", "1.1", "end", dies],
      ["it dies", "1.0", "ECONNRESET", dies]
    ] as const
  )(
    "has no last chunk, or a reset without chunks: %s, HTTP/%s",
    ([, version, expected, rest]) =>
      Effect.gen(function*() {
        expect(yield* ending(version, yield* startList(rest))).toEqual([expected, "first"])
      })
  )

  it.scopedLive("has a reset without chunks when the server stops", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const list = yield* Scope.extend(startList(Effect.never), scope)
      const ended = yield* Effect.fork(ending("1.0", list))
      yield* Deferred.await(list.read)
      yield* Scope.close(scope, Exit.void)
      expect(yield* Fiber.join(ended)).toEqual(["ECONNRESET", "first"])
    }))
})

describe("pipelined requests", () => {
  /** Pipelines three requests, and returns those that are handled before the first one has a response, and all. */
  const handled = (method: string) =>
    Effect.gen(function*() {
      const received: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const [first, last] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const port = yield* start(({ method, target }) => {
        if (target === "/other") return Effect.succeed(reply)
        received.push(`${method} ${target}`)
        if (target === "/last") Deferred.unsafeDone(last, Effect.void)
        if (target !== "/first") return Effect.succeed(reply)
        Deferred.unsafeDone(first, Effect.void)
        return Effect.as(Deferred.await(gate), reply)
      })
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => Net.connect(port, "127.0.0.1")),
        (socket) => Effect.sync(() => socket.destroy())
      )
      const requests = ["GET /first", `${method} /change`, "GET /last"]
      socket.resume().write(requests.map((line) => `${line} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""))
      yield* Deferred.await(first)
      // Node parses the requests of a chunk together, so all that do not wait have been handled after a round trip.
      yield* statusOf(port, "/other")
      const atOnce = received.length
      yield* Deferred.succeed(gate, undefined)
      yield* Deferred.await(last)
      expect(received).toEqual(requests)
      return atOnce
    })

  it.scopedLive("are handled at the same time if they only read", () =>
    Effect.gen(function*() {
      expect(yield* handled("HEAD")).toBe(3)
    }))

  it.scopedLive.each(["POST", "PUT", "PATCH", "DELETE"])(
    "are handled one after another if one of them is a %s",
    (method) =>
      Effect.gen(function*() {
        expect(yield* handled(method)).toBe(1)
      })
  )
})
