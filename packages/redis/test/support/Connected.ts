/** Connections to a server that runs. A program also starts if connecting takes long, as on a busy machine. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redis from "../../src/Redis.ts"
import * as Inspector from "./Inspector.ts"
import * as RedisServer from "./RedisServer.ts"
import { until } from "./WaitUntil.ts"

/** Provides the connections when the server has replied on each. */
export const layer = (options: Redis.RedisOptions) =>
  Layer.tap(Redis.layer(options), (context) => {
    const redis = Context.get(context, Redis.Redis)
    return Effect.forEach(
      [redis, redis.values],
      ({ get }) => until(Effect.map(Effect.either(get("none")), Either.isRight))
    )
  })

/** Starts a server, and connects to it. */
export const make = Effect.gen(function*() {
  const server = yield* RedisServer.make()
  const inspector = yield* Inspector.make(server)
  const redis = yield* Layer.build(layer({ url: server.url }))
  return { inspector, redis, server }
})
