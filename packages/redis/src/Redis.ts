/**
 * The connection to Redis, and what the stores ask of it.
 *
 * @since 0.1.0
 */
import type { StoreFault } from "@blockquarry/http/StoreFault"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Address from "./internal/address.ts"
import * as Connection from "./internal/connection.ts"
import type { Script } from "./internal/script.ts"

/**
 * - `url`: `redis[s]://[[user]:password@]host[:port][/database]`.
 * - `prefix`: what every key begins with; `quarry:` where nothing is said.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisOptions {
  readonly url: string | Redacted.Redacted
  readonly prefix?: string | undefined
}

/**
 * The address of Redis cannot be used. `problem` says why, without any of it.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRedisUrl extends Data.TaggedError("InvalidRedisUrl")<{ readonly problem: string }> {
  override get message(): string {
    return `the address of Redis (${redisUrl}): ${this.problem}`
  }
}

/**
 * What the stores ask. Everything fails at once while there is no connection, and nothing is ever sent twice.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisService {
  readonly prefix: string
  /** Null where there is nothing of that key, or something that is no text. */
  readonly get: (key: string) => Effect.Effect<Uint8Array | null, StoreFault>
  /** Keeps a value for so many milliseconds. */
  readonly set: (key: string, value: Uint8Array, millis: number) => Effect.Effect<void, StoreFault>
  readonly remove: (key: string) => Effect.Effect<void, StoreFault>
  /**
   * Removes every key that begins so, some hundreds at a time, by reading through the names of the whole database. All
   * that was there when it began is gone when it ends; what is written in between may stay.
   */
  readonly removeAll: (beginning: string) => Effect.Effect<void, StoreFault>
  /** Runs a script over one key, and gives its reply. */
  readonly run: (
    script: Script,
    key: string,
    args: ReadonlyArray<string>
  ) => Effect.Effect<unknown, StoreFault>
  /** Succeeds where values can be kept: a server that is read-only or full does not pass. */
  readonly ping: Effect.Effect<void, StoreFault>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Redis extends Context.Tag("@blockquarry/redis/Redis")<Redis, RedisService>() {}

/** The same bytes, as ioredis wants them. */
const view = ({ buffer, byteLength, byteOffset }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** How many keys of the database are looked at in one step. */
const batch = 500

/** The pattern of what begins so, whatever characters that has. */
const beginsWith = (beginning: string): string => `${beginning.replace(/[\\*?[\]]/g, String.raw`\$&`)}*`

/**
 * Connects for as long as the scope is open. Does not fail where the server is away: it is looked for at least once a
 * second, and used as soon as it is there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: RedisOptions
): Effect.Effect<RedisService, InvalidRedisUrl, Scope.Scope> =>
  Effect.gen(function*() {
    const url = Redacted.isRedacted(options.url) ? Redacted.value(options.url) : options.url
    const address = yield* Either.mapLeft(Address.parse(url), (problem) => new InvalidRedisUrl({ problem }))
    const { ask } = yield* Connection.open(address)
    const prefix = options.prefix ?? "quarry:"
    const set = (key: string, value: Uint8Array, millis: number) =>
      Effect.asVoid(ask((client) => client.set(key, view(value), "PX", millis)))
    const removeAll = (beginning: string) =>
      Effect.gen(function*() {
        const pattern = beginsWith(beginning)
        let cursor = "0"
        do {
          const [next, keys] = yield* ask((client) => client.scan(cursor, "MATCH", pattern, "COUNT", batch))
          if (keys.length > 0) yield* ask((client) => client.unlink(keys))
          cursor = next
        } while (cursor !== "0")
      })
    return {
      prefix,
      get: (key) =>
        Effect.catchIf(
          ask((client) => client.getBuffer(key)),
          ({ problem }) => problem === "WRONGTYPE",
          () => Effect.succeed(null)
        ),
      set,
      remove: (key) => Effect.asVoid(ask((client) => client.unlink(key))),
      removeAll,
      run: ({ lua, sha }, key, args) =>
        Effect.catchIf(
          ask((client) => client.evalsha(sha, 1, key, ...args)),
          // Said before anything was done: a server that restarted does not know the script yet.
          ({ problem }) => problem === "NOSCRIPT",
          () => ask((client) => client.eval(lua, 1, key, ...args))
        ),
      ping: set(`${prefix}ping`, new Uint8Array(), 1000)
    }
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: RedisOptions): Layer.Layer<Redis, InvalidRedisUrl> =>
  Layer.scoped(Redis, make(options))

/**
 * The name of the environment variable that has the address.
 *
 * @since 0.1.0
 * @category names
 */
export const redisUrl = "QUARRY_REDIS_URL"

/**
 * `QUARRY_REDIS_URL`, without the white space that files and shells leave around it.
 *
 * @since 0.1.0
 * @category configs
 */
export const config: Config.Config<RedisOptions> = Config.all({
  url: Config.string(redisUrl).pipe(
    Config.mapOrFail((text) => {
      const url = text.trim()
      return url === ""
        ? Either.left(ConfigError.InvalidData([], "Expected redis://host:6379, but it is empty"))
        : Either.right(Redacted.make(url))
    })
  )
})

/**
 * The connection, from configuration: `QUARRY_REDIS_URL` where nothing else is said.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: Config.Config.Wrap<RedisOptions> = config
): Layer.Layer<Redis, ConfigError.ConfigError | InvalidRedisUrl> =>
  Layer.unwrapEffect(Effect.map(Config.unwrap(options), layer))
