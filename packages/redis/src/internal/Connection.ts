/**
 * A connection that reconnects by itself. Without a connection every command fails immediately: commands are neither
 * queued nor sent twice.
 */
import { StoreError } from "@blockquarry/http/StoreError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Redis as IoRedis } from "ioredis"
import type { RedisUrl } from "./RedisUrl.ts"

export interface Connection {
  readonly send: <A>(command: (client: IoRedis) => Promise<A>) => Effect.Effect<A, StoreError>
}

/** If a command takes longer, the connection is closed: the server is stopped or unreachable. */
const commandTimeout = Duration.seconds(1)

/** How long a program waits for the first connection before it starts without one. */
const connectTimeout = Duration.millis(500)

const initialRetryDelay = 50
const maxRetryDelay = 1000

/** Returns a reason without the message of the error, which may contain the URL, commands and passwords. */
const reasonOf = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null
  if ("code" in error && typeof error.code === "string" && /^[A-Z][A-Z0-9_]*$/.test(error.code)) {
    return error.code
  }
  if (error.name === "ReplyError") return /^[A-Z]+/.exec(error.message)?.[0] ?? "rejected"
  return isTimeout(error) ? `no reply within ${Duration.format(commandTimeout)}` : null
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.message === "Command timed out"

const connect = ({ db, host, password, port, tls, username }: RedisUrl) => {
  let failures = 0
  /** Why the connection was lost, if known. */
  let lostReason: string | null = null
  const client = new IoRedis({
    host,
    port,
    db,
    ...(tls ? { tls: {} } : {}),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    commandTimeout: Duration.toMillis(commandTimeout),
    connectTimeout: Duration.toMillis(commandTimeout),
    // Limits how long a socket outlives a connection that is closed while connecting.
    disconnectTimeout: 100,
    // Failures are reset by a reply, not by a connection: a server that rejects the password still accepts connections.
    retryStrategy: () => Math.min(initialRetryDelay * 2 ** failures++, maxRetryDelay),
    // After a failover the host name leads to the new primary, but the open connection still to the old one.
    reconnectOnError: ({ message }) => message.startsWith("READONLY"),
    // The check needs INFO, which many servers forbid. A server that is loading rejects every command with LOADING.
    enableReadyCheck: false,
    disableClientInfo: true
  })
  // Without a listener ioredis writes errors to stderr, URL included.
  client.on("error", (error: unknown) => {
    lostReason = reasonOf(error)
  })
  const track = async <A>(command: (client: IoRedis) => Promise<A>): Promise<A> => {
    try {
      const reply = await command(client)
      failures = 0
      lostReason = null
      return reply
    } catch (error) {
      // Closes the connection, so that pending commands do not pile up when the server is stopped.
      if (isTimeout(error)) {
        lostReason = reasonOf(error)
        client.stream.destroy()
      }
      throw error
    }
  }
  return {
    client,
    send: <A>(command: (client: IoRedis) => Promise<A>) =>
      Effect.tryPromise({
        try: () => track(command),
        catch: (error) => new StoreError({ reason: reasonOf(error) ?? lostReason ?? "not connected" })
      })
  }
}

/** Completes when the first connection attempt succeeds or fails. */
const firstConnectionAttempt = (client: IoRedis): Effect.Effect<void> =>
  Effect.async((resume) => {
    const done = () => resume(Effect.void)
    client.once("ready", done)
    client.once("close", done)
    return Effect.sync(() => {
      client.off("ready", done)
      client.off("close", done)
    })
  })

const close = (client: IoRedis): Effect.Effect<void> =>
  Effect.async((resume) => {
    // Undefined before the first connection attempt, despite its type.
    const stream: IoRedis["stream"] | undefined = client.stream
    client.disconnect()
    if (stream === undefined || stream.closed) return resume(Effect.void)
    stream.once("close", () => resume(Effect.void))
    // Destroyed instead of ended: a stopped server would not confirm the end.
    stream.destroy()
  })

/** Opens a connection and keeps reconnecting until the scope closes. An unavailable server is not an error. */
export const open = (redisUrl: RedisUrl): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => connect(redisUrl)),
    ({ client }) => close(client)
  ).pipe(
    Effect.tap(({ client }) => Effect.timeoutOption(firstConnectionAttempt(client), connectTimeout))
  )
