/**
 * A load balancer like a Kubernetes Service: distributes new connections over the ready instances in turn. Open
 * connections stay with their instance.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as Net from "node:net"

export interface LoadBalancer {
  readonly port: number
  readonly origin: string
  /** Instances with readiness checks. */
  readonly add: (port: number) => Effect.Effect<void>
  readonly remove: (port: number) => Effect.Effect<void>
  readonly isReady: (port: number) => boolean
  /** Connections that no instance accepted. */
  readonly rejected: () => number
}

/** The interval of readiness checks, in milliseconds. */
const checkIntervalMs = 50

export const isReady = (port: number): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const request = Http.get({ host: "127.0.0.1", port, path: "/readyz", agent: false, timeout: 1000 })
    request.on("response", (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode === 200))
    })
    request.on("timeout", () => request.destroy())
    request.on("error", () => resume(Effect.succeed(false)))
  })

/** Forwards bytes in both directions, including half-close. */
const connectSockets = (client: Net.Socket, instance: Net.Socket): void => {
  client.pipe(instance)
  instance.pipe(client)
  for (const [one, other] of [[client, instance], [instance, client]] as const) {
    one.on("error", () => other.destroy())
    one.on("close", () => other.destroySoon())
  }
}

export const make: Effect.Effect<LoadBalancer, never, Scope.Scope> = Effect.gen(function*() {
  const instances = new Map<number, { ready: boolean }>()
  const open = new Set<Net.Socket>()
  const counts = { connections: 0, rejected: 0 }
  const server = Net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const ready = [...instances].flatMap(([port, { ready }]) => ready ? [port] : [])
    const port = ready[counts.connections++ % ready.length]
    open.add(client)
    client.once("close", () => open.delete(client))
    if (port === undefined) {
      counts.rejected += 1
      return client.destroy()
    }
    const instance = Net.connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true })
    instance.once("error", () => {
      if (instance.connecting) counts.rejected += 1
    })
    return connectSockets(client, instance)
  })
  const port = yield* Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const bound = server.address()
        resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : 0))
      })
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const client of open) client.destroy()
      })
  )
  const checkReadiness = Effect.suspend(() =>
    Effect.forEach([...instances], ([port, instance]) =>
      Effect.map(isReady(port), (ready) => {
        instance.ready = ready
      }), { concurrency: "unbounded", discard: true })
  )
  yield* Effect.forkScoped(Effect.forever(Effect.delay(checkReadiness, checkIntervalMs)))
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    add: (port) => Effect.sync(() => void instances.set(port, { ready: false })),
    remove: (port) => Effect.sync(() => void instances.delete(port)),
    isReady: (port) => instances.get(port)?.ready === true,
    rejected: () => counts.rejected
  }
})
