/** A plain connection to read and write the data of a server. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Redis } from "ioredis"
import type { RedisServer } from "./RedisServer.ts"

export interface Inspector {
  readonly send: <A>(command: (client: Redis) => Promise<A>) => Effect.Effect<A>
  /** The server's clock, in milliseconds. */
  readonly time: Effect.Effect<number>
  readonly keys: Effect.Effect<ReadonlyArray<string>>
}

export const make = (
  server: RedisServer,
  password?: string
): Effect.Effect<Inspector, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const client = new Redis({
          port: server.port,
          host: "127.0.0.1",
          retryStrategy: () => 20,
          ...(password === undefined ? {} : { password })
        })
        client.on("error", () => {})
        return client
      }),
      (client) => Effect.sync(() => client.disconnect())
    ),
    (client) => {
      const send = <A>(command: (client: Redis) => Promise<A>) => Effect.promise(() => command(client))
      return {
        send,
        time: Effect.map(send((client) => client.time()), ([seconds, micros]) =>
          Number(seconds) * 1000 + Number(micros) / 1000),
        keys: send((client) =>
          client.keys("*")
        )
      }
    }
  )
