/** Where Redis is. Nothing said about an address repeats any of it: it carries a password. */
import * as Either from "effect/Either"

/** An address in parts. */
export interface RedisUrl {
  readonly host: string
  readonly port: number
  readonly db: number
  readonly tls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
}

const decodeComponent = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/**
 * Reads `redis[s]://[[user]:password@]host[:port][/database]`. A left says what is wrong with it.
 *
 * ioredis reads addresses too, but lets what follows `?` override how the connection behaves.
 */
export const parse = (text: string): Either.Either<RedisUrl, string> => {
  if (!URL.canParse(text)) return Either.left("this is no URL; write it as redis://host:6379")
  const url = new URL(text)
  const tls = url.protocol === "rediss:"
  if (!tls && url.protocol !== "redis:") return Either.left("expected redis:// or rediss://")
  if (url.search !== "" || url.hash !== "") return Either.left("the address must end before ? and #")
  if (url.hostname === "") return Either.left("the host is missing; write it as redis://host:6379")
  const database = /^\/?(\d{0,9})$/.exec(url.pathname)
  if (database === null) return Either.left("expected the number of a database after the host, such as /0")
  const username = decodeComponent(url.username)
  const password = decodeComponent(url.password)
  if (username === null || password === null) {
    return Either.left("write % in the user or the password as %25")
  }
  if (username !== "" && password === "") return Either.left("there is a user without a password")
  return Either.right({
    // Brackets are how a URL writes an address of IPv6; sockets take it without them.
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? 6379 : Number(url.port),
    db: Number(database[1]),
    tls,
    username: username || undefined,
    password: password || undefined
  })
}
