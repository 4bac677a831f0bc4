/**
 * One connection that comes back by itself. While it is away every command fails at once: nothing is queued, nothing
 * is sent twice.
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

/** A connection on which a command is not answered for so long is given up: its server is stopped or out of reach. */
const commandTimeout = Duration.seconds(1)

/** How long a program waits at its start for the connection, before it goes on without. */
const connectTimeout = Duration.millis(500)

const initialRetryDelay = 50
const maxRetryDelay = 1000

/** What an error was, by its code: messages carry addresses, commands and passwords. */
const reasonOf = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null
  if ("code" in error && typeof error.code === "string" && /^[A-Z][A-Z0-9_]*$/.test(error.code)) {
    return error.code
  }
  if (error.name === "ReplyError") return /^[A-Z]+/.exec(error.message)?.[0] ?? "refused"
  return isTimeout(error) ? `no answer within ${Duration.format(commandTimeout)}` : null
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.message === "Command timed out"

const connect = ({ db, host, password, port, tls, username }: RedisUrl) => {
  let failures = 0
  /** Why there is no connection, as far as that is known. */
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
    // The longest that a socket outlives a connection that is closed before it is open.
    disconnectTimeout: 100,
    // Counted from the last answer, not from the last connection: a server that refuses the password accepts those.
    retryStrategy: () => Math.min(initialRetryDelay * 2 ** failures++, maxRetryDelay),
    // After a failover the old address leads to the new primary, but an open connection to the old one.
    reconnectOnError: ({ message }) => message.startsWith("READONLY"),
    // Needs INFO, which many servers forbid; a server that is still loading says so to every command anyway.
    enableReadyCheck: false,
    disableClientInfo: true
  })
  // Without a listener they go to stderr, address included.
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
      // The commands on this connection are given up with it, so that none pile up behind a stopped server.
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

/** Done once the first attempt to connect has come to something. */
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
    // There is none before the first attempt, whatever the type says.
    const stream: IoRedis["stream"] | undefined = client.stream
    client.disconnect()
    if (stream === undefined || stream.closed) return resume(Effect.void)
    stream.once("close", () => resume(Effect.void))
    // Without a farewell, which a stopped server would not return.
    stream.destroy()
  })

/** Opens a connection. A server that is away is no failure: it is looked for until the scope closes. */
export const open = (redisUrl: RedisUrl): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => connect(redisUrl)),
    ({ client }) => close(client)
  ).pipe(
    Effect.tap(({ client }) => Effect.timeoutOption(firstConnectionAttempt(client), connectTimeout))
  )
