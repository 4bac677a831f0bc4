/** A primary with two replicas, and three Sentinels that monitor it as `main`. */
import * as Effect from "effect/Effect"
import * as Inspector from "./Inspector.ts"
import * as RedisServer from "./RedisServer.ts"
import * as WaitUntil from "./WaitUntil.ts"

/** `args` are those of the primary and the replicas. A failover begins when a test says so, however slow the machine is. */
export const make = (sentinelPassword?: string, args: ReadonlyArray<string> = []) =>
  Effect.gen(function*() {
    const primary = yield* RedisServer.make({ args })
    const replica = RedisServer.make({ args: [...args, "--replicaof", "127.0.0.1", String(primary.port)] })
    const replicas = yield* Effect.all([replica, replica])
    const config = [
      `sentinel monitor main 127.0.0.1 ${primary.port} 2`,
      "sentinel down-after-milliseconds main 600000",
      "sentinel failover-timeout main 2000",
      ...sentinelPassword === undefined
        ? []
        : [`requirepass ${sentinelPassword}`, `sentinel sentinel-pass ${sentinelPassword}`]
    ].join("\n")
    const sentinel = RedisServer.make({ args: ["--sentinel"], config })
    const sentinels = yield* Effect.all([sentinel, sentinel, sentinel])
    const inspector = yield* Inspector.make(sentinels[2], sentinelPassword)
    // They find each other and the replicas through the primary
    yield* WaitUntil.until(
      Effect.map(
        inspector.send((client) => client.info("sentinel")),
        (info) => /slaves=2,sentinels=3/.test(info)
      )
    )
    const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(",")
    /** Begins a failover, which the last Sentinel leads. It refuses while it knows no replica that can take over. */
    const failover = WaitUntil.until(
      inspector.send((client) => client.call("SENTINEL", "FAILOVER", "main").then(() => true, () => false))
    )
    return { failover, primary, replicas, sentinels, url: `redis+sentinel://${hosts}/main` }
  })
