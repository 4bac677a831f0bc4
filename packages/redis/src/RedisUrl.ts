/** Parses the URL of Redis. Error messages never quote it, because it may contain a password. Unstable: for gateways. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"

/** Where a server or a Sentinel listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** The parts of a Redis URL. With Sentinels, the address is that of the first one. */
export interface RedisUrl extends Address {
  readonly db: number
  readonly tls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  /** The Sentinels, and the name under which they monitor the primary. Null without Sentinels. */
  readonly sentinel: { readonly name: string; readonly addresses: ReadonlyArray<Address> } | null
}

const decodeComponent = Option.liftThrowable(decodeURIComponent)

const sentinelUrl = /^(rediss?)\+sentinel:\/\/([^@/]*@)?([^@/]+)\/([\w.-]+)(\/\d+)?$/

/**
 * Parses `redis[s]://[[user]:password@]host[:port][/database]` or, with Sentinels,
 * `redis[s]+sentinel://[[user]:password@]host[:port][,host[:port]…]/NAME[/database]`, where user and password are those of the primary
 * and `NAME` is what the Sentinels call it. A left is the reason why the URL is invalid.
 *
 * ioredis would parse URLs too, but lets the query string override connection options.
 */
export const parse = (text: string): Either.Either<RedisUrl, string> => {
  if (!/^rediss?\+sentinel:/.test(text)) return parseSingle(text)
  const [, scheme, user = "", hosts = "", name = "", database = ""] = sentinelUrl.exec(text) ?? []
  const urls = hosts.split(",").map((host) =>
    parseSingle(`${scheme}://${user}${/:\d+$/.test(host) ? host : `${host}:26379`}${database}`)
  )
  if (name === "") return Either.left("expected redis+sentinel://host1:26379,host2:26379/NAME")
  return Either.flatMap(
    Either.all(urls),
    (addresses) =>
      Either.fromNullable(addresses[0], () => "missing host").pipe(
        Either.map((first) => ({ ...first, sentinel: { name, addresses } }))
      )
  )
}

const parseSingle = (text: string): Either.Either<RedisUrl, string> => {
  if (!URL.canParse(text)) return Either.left("not a URL; expected redis://host:6379")
  const url = new URL(text)
  const tls = url.protocol === "rediss:"
  if (!tls && url.protocol !== "redis:") return Either.left("expected redis[s]:// or redis[s]+sentinel://")
  if (url.search !== "" || url.hash !== "") return Either.left("must not have a query string or fragment")
  if (url.hostname === "") return Either.left("missing host; expected redis://host:6379")
  const database = /^\/?(\d{0,9})$/.exec(url.pathname)
  if (database === null) return Either.left("expected a database number after the host, such as /0")
  const user = Option.all([decodeComponent(url.username), decodeComponent(url.password)])
  if (Option.isNone(user)) return Either.left("invalid % in user or password; write it as %25")
  const [username, password] = user.value
  if (username !== "" && password === "") return Either.left("user without password")
  return Either.right({
    // URLs write IPv6 addresses in brackets; sockets take them without.
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? 6379 : Number(url.port),
    db: Number(database[1]),
    tls,
    username: username || undefined,
    password: password || undefined,
    sentinel: null
  })
}
