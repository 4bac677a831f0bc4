/**
 * A connection that reconnects by itself. Without a connection every command fails immediately: commands are neither
 * queued nor sent twice.
 *
 * A command may take long, if other commands or large values are transferred first. The connection is closed, and all
 * commands fail, only if it makes no progress: commands are pending, and for a second no byte arrives and the system
 * accepts none of the bytes that wait to be sent.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { Redis as IoRedis } from "ioredis"
import { once } from "node:events"
import type { RedisUrl } from "../RedisUrl.ts"
import * as Replies from "./Replies.ts"

export interface Connection {
  readonly send: <A>(command: (client: IoRedis) => Promise<A>) => Effect.Effect<A, Replies.ServerError>
}

/** Where to connect to and how, and the prefix of keys and channels, which errors name. */
export interface ConnectionOptions extends RedisUrl {
  readonly sentinelPassword: string | undefined
  /** ioredis reads the properties for each connection. */
  readonly certificates: { readonly [Name in "ca" | "cert" | "key"]: string | undefined }
  readonly keyPrefix: string
}

const stallTimeout = Duration.seconds(1)

/** Progress is checked this often while commands are pending. */
const checkMillis = 100

const checksPerStall = Duration.toMillis(stallTimeout) / checkMillis

/** How long a program waits for the first connection before it starts without one. */
const connectTimeout = Duration.millis(500)

const initialRetryDelay = 50
const maxRetryDelay = 1000

const stalled = new Replies.ServerError(`no reply within ${Duration.format(stallTimeout)}`)

const connect = (
  { certificates, db, host, keyPrefix, password, port, sentinel, sentinelPassword, tls, username }:
    ConnectionOptions
) => {
  const notConnected = new Replies.ServerError(tls ? "no TLS connection" : "not connected")
  let failures = 0
  /** Why the connection was lost, if known. */
  let lost: Replies.ServerError | null = null
  /** Whether the server has replied on this connection. A paused server accepts connections. */
  let established = false
  let pending = 0
  let bytesRead = 0
  let checksWithoutProgress = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const client = new IoRedis({
    ...(sentinel === null ? { host, port } : {
      name: sentinel.name,
      sentinels: sentinel.addresses.map(({ host, port }) => ({ host, port })),
      sentinelRetryStrategy: () => maxRetryDelay / 4,
      sentinelCommandTimeout: Duration.toMillis(stallTimeout),
      enableTLSForSentinelMode: tls,
      ...(tls ? { sentinelTLS: certificates } : {}),
      ...(sentinelPassword === undefined ? {} : { sentinelPassword })
    }),
    db,
    ...(tls ? { tls: certificates } : {}),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: Duration.toMillis(stallTimeout),
    // Limits how long a socket outlives a connection whose end the server does not confirm.
    disconnectTimeout: 100,
    // Failures are reset by a reply, not by a connection: a server that rejects the password still accepts connections.
    retryStrategy: () => Math.min(initialRetryDelay * 2 ** failures++, maxRetryDelay),
    // After a failover the host name leads to the new primary, but the open connection still to the old one.
    reconnectOnError: (error) => {
      if (!error.message.startsWith("READONLY")) return false
      // Or else commands of another store would only fail with "not connected" meanwhile.
      lost = Replies.fromError(error, keyPrefix)
      return true
    },
    autoResubscribe: false,
    // The check needs INFO, which many servers forbid. A server that is loading rejects every command with LOADING.
    enableReadyCheck: false,
    disableClientInfo: true
  })

  const closeStalled = (stream: IoRedis["stream"]) => {
    checksWithoutProgress = 0
    lost = stalled
    stream.destroy()
  }

  /**
   * Counts checks instead of time: between two of them the event loop reads from the socket, so a busy process does not
   * mistake bytes that it has not read for missing ones. While bytes wait to be sent, the timeout of the socket decides. It does not
   * decide otherwise, because it begins again with each command that the system accepts.
   */
  const checkProgress = () => {
    const { stream } = client
    const progressed = stream.bytesRead !== bytesRead || stream.writableLength > 0
    checksWithoutProgress = progressed ? 0 : checksWithoutProgress + 1
    bytesRead = stream.bytesRead
    if (checksWithoutProgress === checksPerStall) closeStalled(stream)
  }

  const send = async <A>(command: (client: IoRedis) => Promise<A>): Promise<A> => {
    pending += 1
    if (timer === undefined) {
      checksWithoutProgress = 0
      timer = setInterval(checkProgress, checkMillis)
    }
    try {
      const reply = await command(client)
      // Not by the PING of a connection: proxies such as twemproxy reply to it, and close the connection on SUBSCRIBE.
      if (established) failures = 0
      lost = null
      return reply
    } finally {
      pending -= 1
      if (pending === 0) {
        clearInterval(timer)
        timer = undefined
      }
    }
  }

  // Without a listener ioredis writes errors to stderr, URL included.
  client.on("error", (error: unknown) => {
    lost = Replies.fromError(error, keyPrefix) ?? lost
  })
  client.on("sentinelError", (error: unknown) => {
    lost = Replies.fromSentinelError(String(error))
  })
  client.on("close", () => {
    established = false
  })
  client.on("ready", () => {
    const { stream } = client
    stream.setTimeout(Duration.toMillis(stallTimeout))
    stream.on("timeout", () => {
      if (stream.writableLength > 0) closeStalled(stream)
    })
    const establish = () => {
      established = true
      client.emit(establishedEvent)
    }
    send((client) => client.ping()).then(establish, (error: unknown) => {
      // Also an error is a reply. Otherwise the connection is closed.
      if (Replies.isReply(error)) establish()
    })
  })
  return {
    client,
    send: <A>(command: (client: IoRedis) => Promise<A>) =>
      Effect.suspend(() =>
        established
          ? Effect.tryPromise({
            try: () => send(command),
            catch: (error) => Replies.fromError(error, keyPrefix) ?? lost ?? notConnected
          })
          : lost ?? notConnected
      )
  }
}

const establishedEvent = "established"

/** Completes when the first connection attempt succeeds or fails, or takes too long. */
const firstConnectionAttempt = (client: IoRedis) =>
  Effect.tryPromise((signal) =>
    Promise.race([establishedEvent, "close"].map((event) => once(client, event, { signal })))
  ).pipe(Effect.timeout(connectTimeout), Effect.ignore)

/** Opens a connection and keeps reconnecting until the scope closes. An unavailable server is not an error. */
export const open = (options: ConnectionOptions): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.tap(connected(options), ({ client }) => firstConnectionAttempt(client))

const connected = (options: ConnectionOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => connect(options)),
    ({ client }) => Effect.sync(() => client.disconnect())
  )

/** How often a subscription is repeated, which finds out that its connection is lost. */
const subscribeInterval = Duration.seconds(5)

/** Subscribes to a channel over a connection of its own. See `Redis.ts`. */
export const subscribe = (
  options: ConnectionOptions,
  channel: string,
  onMessage: () => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { client, send } = yield* connected(options)
    let missed = true
    /** Connections in a row that replied to PING and not to SUBSCRIBE: a warning is logged at the third, because outages end some, too. */
    let refused = 0
    const subscribeOnce = Effect.ignore(Effect.map(send((client) => client.subscribe(channel)), () => {
      if (missed) onMessage()
      missed = false
      refused = 0
    }))
    client.on("message", onMessage)
    client.on("close", () => {
      missed = true
    })
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const warnAtThird = Effect.suspend(() =>
      missed && ++refused === 3
        ? Effect.logWarning(
          `the server does not accept SUBSCRIBE ${channel}: purges of other processes are applied late, and purges may fail; ` +
            "use the address of Redis itself: a proxy such as twemproxy supports no publish/subscribe"
        )
        : Effect.void
    )
    client.on(establishedEvent, () => void runFork(Effect.zipRight(subscribeOnce, warnAtThird)))
    yield* firstConnectionAttempt(client)
    yield* subscribeOnce
    yield* Effect.forkScoped(Effect.forever(Effect.delay(subscribeOnce, subscribeInterval)))
  })
