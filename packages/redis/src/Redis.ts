/** The connections to Redis, and the commands that the stores send over them. */
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Connection from "./internal/Connection.ts"
import * as Replies from "./internal/Replies.ts"
import * as Script from "./internal/Script.ts"
import * as RedisUrl from "./RedisUrl.ts"

/**
 * - `url`: `redis[s]://[[user]:password@]host[:port][/database]`, or with Sentinels
 *   `redis[s]+sentinel://[[user]:password@]host[:port][,host[:port]…]/NAME[/database]`. Default ports: 6379 and 26379.
 * - `sentinelPassword`: password of the Sentinels. Default: none.
 * - `tls`: with `rediss`, certificates and a private key. A function is called for each connection, so that they may be renewed.
 * - `keyPrefix`: prefix of every key and channel. Default: `quarry:`.
 */
export interface RedisOptions {
  readonly url: string | Redacted.Redacted
  readonly sentinelPassword?: string | Redacted.Redacted | undefined
  readonly tls?: RedisCertificates | (() => RedisCertificates | undefined) | undefined
  readonly keyPrefix?: string | undefined
}

/** In PEM: the authority that signed the server's certificate (default: those of Node.js), and those of the client (default: none). */
export type RedisCertificates = {
  readonly [Name in "ca" | "certificate" | "key"]?: string | Redacted.Redacted | undefined
}

/** The URL of Redis is invalid. `reason` names the problem without quoting the URL, which may contain a password. */
export class InvalidRedisUrlError
  extends Data.TaggedError("InvalidRedisUrlError")<{ readonly reason: string }>
{
  override get message(): string {
    return `invalid Redis URL (${redisUrl}): ${this.reason}`
  }
}

/**
 * Redis replies, but the stores cannot use it as it is configured: a wrong password, a user without a needed permission, a
 * node of a Redis Cluster, a Sentinel, a read-only replica, a certificate that is not trusted, a server that is not Redis.
 * `reason` is the code of the reply, such as `NOAUTH`, and `fix` says what to change. Neither contains the URL.
 */
export class RedisMisconfiguredError
  extends Data.TaggedError("RedisMisconfiguredError")<{ readonly reason: string; readonly fix: string }>
{
  override get message(): string {
    return `Redis cannot be used (${this.reason}): ${this.fix}`
  }
}

type RunScript<Arg> = (
  script: Script.Script,
  keys: string | ReadonlyArray<string>,
  args: ReadonlyArray<Arg>
) => Effect.Effect<unknown, StoreError>

/**
 * The commands of one connection, which the server executes in the order in which they are sent. Every command fails
 * immediately while there is no connection, and none is sent twice. All pending commands fail if the connection
 * makes no progress for a second: no byte arrives, and the system accepts none that waits to be sent.
 */
export interface RedisCommands {
  /** Returns null if the key does not exist. */
  readonly get: (key: string) => Effect.Effect<Uint8Array | null, StoreError>
  readonly remove: (key: string) => Effect.Effect<void, StoreError>
  /**
   * Removes every key that starts with `prefix`, in batches, by scanning all keys of the database. Removes every key
   * that exists when the scan starts; keys that are written during the scan may remain.
   */
  readonly removeAll: (prefix: string) => Effect.Effect<void, StoreError>
  /** Runs a script on keys and returns its reply. */
  readonly run: RunScript<string>
  /** Like `run`, but sends the text of the script, so that a large argument and the order of commands need no retry. */
  readonly runText: RunScript<string | Uint8Array>
  /** Sends a message to the subscribers of a channel. */
  readonly publish: (channel: string, message: string) => Effect.Effect<void, StoreError>
  /** Fails unless the server accepts reads, writes, and the scripts that it has rejected. */
  readonly ping: Effect.Effect<void, StoreError>
}

/**
 * Two connections to one server, and one for each subscription. The main one is for small commands, such as those of rate
 * limits. `values` is for large values, which would delay other commands on the same connection until they are transferred.
 */
export interface RedisService extends RedisCommands {
  readonly keyPrefix: string
  readonly values: RedisCommands
  /**
   * Calls a function for each message of a channel until the scope closes. Also calls it when the subscription starts, and when
   * it starts again after its connection was lost, because messages may have been missed. Opens a connection.
   */
  readonly subscribe: (
    channel: string,
    onMessage: () => void
  ) => Effect.Effect<void, never, Scope.Scope>
}

export class Redis extends Context.Tag("@blockquarry/redis/Redis")<Redis, RedisService>() {}

/** Wraps the bytes for ioredis without copying them. */
const toBuffer = ({ buffer, byteLength, byteOffset }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** The `COUNT` of each `SCAN`. */
const scanCount = 500

/** Returns the glob pattern that matches a prefix. Escapes the special characters of the prefix. */
const prefixPattern = (prefix: string): string => `${prefix.replace(/[\\*?[\]]/g, String.raw`\$&`)}*`

/** Creates the commands of a connection. A ping also tries some scripts until each has run, and those that failed last. */
const commandsOf = (
  { send }: Connection.Connection,
  keyPrefix: string,
  untried = new Set<Script.Script>()
): RedisCommands => {
  const pingKey = `${keyPrefix}ping`
  const tryAgain = (script: Script.Script) => Effect.sync(() => untried.add(script))
  const runText: RunScript<string | Uint8Array> = (script, keys, args) =>
    send((client) => {
      const names = Arr.ensure(keys)
      return client.eval(
        script.lua,
        names.length,
        ...names,
        ...args.map((arg) => typeof arg === "string" ? arg : toBuffer(arg))
      )
    }).pipe(Effect.tapError(() => tryAgain(script)))
  const tryScript = (script: Script.Script) => {
    const key = `${pingKey}:${script.sha}`
    return runText(script, key, Array<string>(5).fill("1")).pipe(
      Effect.map(() => untried.delete(script)),
      Effect.mapError((error) => error.reason === "ERR" ? new Replies.ServerError("script error") : error),
      Effect.ensuring(Effect.ignore(send((client) => client.unlink(key))))
    )
  }
  return {
    get: (key) => send((client) => client.getBuffer(key)),
    remove: (key) => Effect.asVoid(send((client) => client.unlink(key))),
    removeAll: (prefix) =>
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
      }),
    run: (script, keys, args) =>
      Effect.catchIf(
        send((client) => {
          const names = Arr.ensure(keys)
          return client.evalsha(script.sha, names.length, ...names, ...args)
        }),
        // The server lost the script (a restart) and has not run anything.
        ({ reason }) => reason === "NOSCRIPT",
        () => runText(script, keys, args)
      ).pipe(Effect.tapError(() => tryAgain(script))),
    runText,
    publish: (channel, message) => Effect.asVoid(send((client) => client.publish(channel, message))),
    // After a failover, the connection reconnects when this command is rejected with READONLY.
    ping: send((client) => client.set(pingKey, "", "PX", 1000)).pipe(
      Effect.zipRight(send((client) => client.get(pingKey))),
      Effect.zipRight(send((client) => client.unlink(pingKey))),
      Effect.zipRight(
        Effect.suspend(() => Effect.forEach(untried, tryScript, { concurrency: "unbounded", discard: true }))
      )
    )
  }
}

/** The time to find out whether the server can be used. */
const checkTimeout = Duration.seconds(2)

/** Fails if the server says that it is a node of a Redis Cluster, or a Sentinel. Before version 6 it does not say so. */
const checkMode = (send: Connection.Connection["send"]): Effect.Effect<void, StoreError> =>
  send((client) => client.call("HELLO")).pipe(
    Effect.map((reply): unknown => Array.isArray(reply) ? reply[reply.indexOf("mode") + 1] : null),
    Effect.orElseSucceed(() => null),
    Effect.filterOrFail(
      (mode) => mode !== "cluster" && mode !== "sentinel",
      (mode) => new Replies.ServerError(mode === "cluster" ? "cluster mode" : "Sentinel")
    )
  )

const parseOptions = (
  { keyPrefix = "quarry:", sentinelPassword, tls, url }: RedisOptions
): Either.Either<Connection.ConnectionOptions, InvalidRedisUrlError> => {
  const certificates = typeof tls === "function" ? tls : () => tls
  return RedisUrl.parse(revealed(url)).pipe(
    Either.filterOrLeft(
      (parsed) => parsed.tls || certificates() === undefined,
      () => "has certificates, so expected rediss://"
    ),
    Either.mapBoth({
      onLeft: (reason) => new InvalidRedisUrlError({ reason }),
      onRight: (parsed) => ({
        ...parsed,
        keyPrefix,
        sentinelPassword: revealed(sentinelPassword),
        certificates: {
          get ca() {
            return revealed(certificates()?.ca)
          },
          get cert() {
            return revealed(certificates()?.certificate)
          },
          get key() {
            return revealed(certificates()?.key)
          }
        }
      })
    })
  )
}

const revealed = <A extends string | undefined>(text: A | Redacted.Redacted): A | string =>
  typeof text === "object" ? Redacted.value(text) : text

/**
 * Connects, tries every command and every script of the stores, and disconnects. Leaves no key, and sends a message that the stores
 * ignore. Fails with a `StoreError` if the server cannot be reached, has no memory left, or does not complete within 2 s.
 */
export const check = (
  options: RedisOptions
): Effect.Effect<void, InvalidRedisUrlError | RedisMisconfiguredError | StoreError> =>
  Effect.flatMap(parseOptions(options), checkServer)

const nothing = Script.make("return 0")

const checkServer = (options: Connection.ConnectionOptions) =>
  Effect.gen(function*() {
    const { keyPrefix } = options
    const name = `${keyPrefix}ping`
    const connection = yield* Connection.open(options)
    const commands = commandsOf(connection, keyPrefix, new Set(Script.checked))
    yield* checkMode(connection.send)
    if (options.db !== 0) yield* connection.send((client) => client.select(options.db))
    yield* commands.ping
    yield* commands.run(nothing, name, [])
    yield* commands.get(name)
    yield* connection.send((client) => client.scan("0", "COUNT", 1))
    yield* commands.publish(name, "")
    yield* connection.send((client) => client.subscribe(name))
  }).pipe(
    Effect.scoped,
    Effect.timeoutFail({
      duration: checkTimeout,
      onTimeout: () => new StoreError({ reason: `no reply within ${Duration.format(checkTimeout)}` })
    }),
    Effect.mapError((error) =>
      error.fix === undefined ? error : new RedisMisconfiguredError({ reason: error.reason, fix: error.fix })
    )
  )

/**
 * Connects until the scope closes. Fails if the server replies but cannot be used, see `check`. An unavailable server is not an
 * error: the connection is retried at least once a second.
 */
export const make = (
  options: RedisOptions
): Effect.Effect<RedisService, InvalidRedisUrlError | RedisMisconfiguredError, Scope.Scope> =>
  Effect.gen(function*() {
    const parsed = yield* parseOptions(options)
    const { keyPrefix } = parsed
    const commands = Effect.map(Connection.open(parsed), (connection) => commandsOf(connection, keyPrefix))
    const checked = Effect.catchTag(checkServer(parsed), "StoreError", () => Effect.void)
    const [main, values] = yield* Effect.all([commands, commands, checked], { concurrency: 3 })
    return {
      keyPrefix,
      ...main,
      values,
      subscribe: (channel, onMessage) => Connection.subscribe(parsed, channel, onMessage)
    }
  })

/** Provides the connections to Redis. */
export const layer = (
  options: RedisOptions
): Layer.Layer<Redis, InvalidRedisUrlError | RedisMisconfiguredError> => Layer.scoped(Redis, make(options))

/** The environment variable with the URL of Redis. */
export const redisUrl = "QUARRY_REDIS_URL"

/** Reads `QUARRY_REDIS_URL`. Trims white space, such as the line break at the end of a file. */
export const config: Config.Config<RedisOptions> = Config.all({
  url: Config.string(redisUrl).pipe(
    Config.mapOrFail((text) => {
      const url = text.trim()
      return url === ""
        ? Either.left(ConfigError.InvalidData([], "expected redis://host:6379, got an empty value"))
        : Either.right(Redacted.make(url))
    })
  )
})
