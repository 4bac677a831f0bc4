/** Shutdown of the server, and clients that disconnect. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Harness from "../hostile/harness.ts"
import { get, header, openConnection, parseResponses } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { examples } from "../support/proxy.ts"

const path = `/api/v2.2/${examples.wallet}/erc20/transfers?limit=1`

/** An open connection that has had a response. */
const openIdle = (port: number) =>
  Effect.tap(openConnection(port), ({ responses, socket }) => {
    socket.write(get("/livez"))
    return responses(1)
  })

describe("shutdown", () => {
  it.scopedLive.each(
    [["0 millis", undefined], ["999 millis", undefined], ["5 seconds", "timeout=5"]] as const
  )("with a delay of %s announces %s", ([delay, announced]) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const config = { shutdown: { delay: Duration.decode(delay), timeout: Duration.seconds(5) } }
      const { port, upstream } = yield* Scope.extend(Harness.start({ config }), scope)
      upstream.respondWith(() => null)
      const silent = yield* openConnection(port)
      const connection = yield* openIdle(port)
      connection.socket.write(Harness.authorized(path))
      yield* upstream.waitForRequests(1)
      const stopping = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* silent.closed
      connection.socket.write(Harness.authorized(path))
      yield* upstream.waitForRequests(2)
      upstream.releaseHeld(rawResponse(200, "{}"))
      const { responses } = parseResponses(yield* connection.closed)
      yield* Fiber.join(stopping)
      expect(responses.map((response) => [header(response, "connection"), header(response, "keep-alive")]))
        .toEqual([["keep-alive", announced], ["keep-alive", undefined], ["close", undefined]])
    }))
})
