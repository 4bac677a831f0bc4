/**
 * The connection to Redis, and what the stores ask of it.
 *
 * @since 0.1.0
 */
import type { StoreError } from "@blockquarry/http/StoreError"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Connection from "./internal/Connection.ts"
import * as Address from "./internal/RedisUrl.ts"
import type { Script } from "./internal/Script.ts"

/**
 * - `url`: `redis[s]://[[user]:password@]host[:port][/database]`.
 * - `prefix`: what every key begins with; `quarry:` where nothing is said.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisOptions {
  readonly url: string | Redacted.Redacted
  readonly keyPrefix?: string | undefined
}

/**
 * The address of Redis cannot be used. `problem` says why, without any of it.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRedisUrlError
  extends Data.TaggedError("InvalidRedisUrlError")<{ readonly reason: string }>
{
  override get message(): string {
    return `the address of Redis (${redisUrl}): ${this.reason}`
  }
}

/**
 * What the stores ask. Everything fails at once while there is no connection, and nothing is ever sent twice.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisService {
  readonly keyPrefix: string
  /** Null where there is nothing of that key, or something that is no text. */
  readonly get: (key: string) => Effect.Effect<Uint8Array | null, StoreError>
  /** Keeps a value for so many milliseconds. */
  readonly set: (key: string, value: Uint8Array, millis: number) => Effect.Effect<void, StoreError>
  readonly remove: (key: string) => Effect.Effect<void, StoreError>
  /**
   * Removes every key that begins so, some hundreds at a time, by reading through the names of the whole database. All
   * that was there when it began is gone when it ends; what is written in between may stay.
   */
  readonly removeAll: (prefix: string) => Effect.Effect<void, StoreError>
  /** Runs a script over one key, and gives its reply. */
  readonly run: (
    script: Script,
    key: string,
    args: ReadonlyArray<string>
  ) => Effect.Effect<unknown, StoreError>
  /** Succeeds where values can be kept: a server that is read-only or full does not pass. */
  readonly ping: Effect.Effect<void, StoreError>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Redis extends Context.Tag("@blockquarry/redis/Redis")<Redis, RedisService>() {}

/** The same bytes, as ioredis wants them. */
const toBuffer = ({ buffer, byteLength, byteOffset }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** How many keys of the database are looked at in one step. */
const scanCount = 500

/** The pattern of what begins so, whatever characters that has. */
const prefixPattern = (prefix: string): string => `${prefix.replace(/[\\*?[\]]/g, String.raw`\$&`)}*`

/**
 * Connects for as long as the scope is open. Does not fail where the server is away: it is looked for at least once a
 * second, and used as soon as it is there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: RedisOptions
): Effect.Effect<RedisService, InvalidRedisUrlError, Scope.Scope> =>
  Effect.gen(function*() {
    const url = Redacted.isRedacted(options.url) ? Redacted.value(options.url) : options.url
    const parsedUrl = yield* Either.mapLeft(Address.parse(url), (reason) =>
      new InvalidRedisUrlError({ reason }))
    const { send } = yield* Connection.open(parsedUrl)
    const keyPrefix = options.keyPrefix ?? "quarry:"
    const set = (key: string, value: Uint8Array, millis: number) =>
      Effect.asVoid(send((client) =>
        client.set(key, toBuffer(value), "PX", millis)
      ))
    const removeAll = (prefix: string) =>
      Effect.gen(function*() {
        const pattern = prefixPattern(prefix)
        let cursor = "0"
        do {
          const [next, keys] = yield* send((client) =>
            client.scan(cursor, "MATCH", pattern, "COUNT", scanCount)
          )
          if (keys.length > 0) yield* send((client) => client.unlink(keys))
          cursor = next
        } while (cursor !== "0")
      })
    return {
      keyPrefix,
      get: (key) =>
        Effect.catchIf(
          send((client) => client.getBuffer(key)),
          ({ reason }) => reason === "WRONGTYPE",
          () => Effect.succeed(null)
        ),
      set,
      remove: (key) => Effect.asVoid(send((client) => client.unlink(key))),
      removeAll,
      run: ({ lua, sha }, key, args) =>
        Effect.catchIf(
          send((client) => client.evalsha(sha, 1, key, ...args)),
          // Said before anything was done: a server that restarted does not know the script yet.
          ({ reason }) => reason === "NOSCRIPT",
          () => send((client) => client.eval(lua, 1, key, ...args))
        ),
      ping: set(`${keyPrefix}ping`, new Uint8Array(), 1000)
    }
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: RedisOptions): Layer.Layer<Redis, InvalidRedisUrlError> =>
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
): Layer.Layer<Redis, ConfigError.ConfigError | InvalidRedisUrlError> =>
  Layer.unwrapEffect(Effect.map(Config.unwrap(options), layer))
