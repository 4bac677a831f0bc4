/** An OpenTelemetry collector that stores what it receives. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import { text } from "node:stream/consumers"
import * as PageServer from "./PageServer.ts"

interface Received {
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

export interface OtlpCollector {
  readonly url: string
  /** Everything received so far. */
  readonly received: ReadonlyArray<Received>
}

export const make: Effect.Effect<OtlpCollector, never, Scope.Scope> = Effect.suspend(() => {
  const received: Array<Received> = []
  const server = PageServer.serve((request, response) =>
    void text(request).then((body) => {
      received.push({ path: request.url ?? "", headers: request.headers, body })
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  )
  return Effect.map(server, ({ url }) => ({ url: url.slice(0, -1), received }))
})
