/**
 * Errors of a server: outages, which end by themselves, and replies that say that the server or the URL has to be changed. Never
 * contains the text of a reply, which may quote commands, user names and passwords.
 */
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as Predicate from "effect/Predicate"

const notSingle = "expected a single server, which Redis Cluster is not: use a server without cluster mode"

/** What to do about a server that replies and cannot be used, by the code of the reply, or by what the server is. */
const fixes: Readonly<Record<string, string>> = {
  NOAUTH: "the server requires a password: expected redis://:PASSWORD@HOST:6379",
  WRONGPASS:
    "the server rejects the user or the password: correct the URL, in which both are percent-encoded",
  READONLY: "the server is a read-only replica: use the address of its primary",
  MOVED: notSingle,
  ASK: notSingle,
  "cluster mode": notSingle,
  Sentinel:
    "the server is a Sentinel, which stores nothing: use redis+sentinel://HOST:26379/NAME, with the name of the primary",
  "no Sentinel": "the server is not a Sentinel: use redis://HOST:6379, or the address of a Sentinel",
  "Sentinel password": "the Sentinels require a password: set sentinelPassword",
  "unknown primary": "the Sentinels monitor no primary of this name: correct it after the hosts of the URL",
  "script error": "expected Redis or Valkey, which run all scripts of the stores",
  "no such database":
    "the server has no database with this number: correct the end of the URL, or leave it out",
  "another protocol": "the server is not Redis: correct the host and the port",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not use TLS at this port: use redis://, or its port for TLS",
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: "tls.key does not belong to tls.certificate: set both to one pair",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host: use a name that it contains"
}

/** What to do about the other codes of TLS. The first that matches applies. */
const tlsFixes: ReadonlyArray<readonly [codes: RegExp, fix: string]> = [
  [
    /^ERR_SSL_.*(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)$/,
    "the server requires a client certificate: set tls.certificate and tls.key"
  ],
  [/^ERR_OSSL_/, "the certificates cannot be read: set tls to PEM, with a key that has no passphrase"],
  [
    /CERT|^UNABLE_TO_/,
    "the certificate is not trusted: renew it if it has expired, or set tls.ca to the certificate of its authority"
  ]
]

/** What to do about outages that may also end by themselves. */
const hints: Readonly<Record<string, string>> = {
  ECONNRESET: "closed by the server; if it requires TLS, use rediss://",
  "no TLS connection": "if the server has no TLS, use redis://",
  OOM: "its memory is full; raise maxmemory, or use a maxmemory-policy that evicts keys",
  NOREPLICAS: "too few replicas are connected; connect them, or lower min-replicas-to-write",
  MISCONF: "it cannot save its data to disk; see its log"
}

/**
 * A server that cannot be used, or its connection. `code` is that of a reply or of the system, or says what the server is. Without
 * a fix, the outage may end by itself.
 */
export class ServerError extends StoreError {
  readonly code: string

  constructor(code: string, fix = fixes[code] ?? tlsFixes.find(([codes]) => codes.test(code))?.[1]) {
    const hint = hints[code]
    super({ reason: hint === undefined ? code : `${code}: ${hint}`, fix })
    this.code = code
  }
}

const commands =
  "ping select set eval evalsha publish subscribe time get getrange hmget hset hincrby hgetall hdel pttl pexpire zcard zadd zremrangebyscore scan unlink"

/** What a user with all permissions that the stores need is allowed. Before version 7 a new user may use all channels. */
export const permissions = (keyPrefix: string): string =>
  `~${keyPrefix}* resetchannels &${keyPrefix}* ${commands.replaceAll(/\w+/g, "+$&")}`

/** Describes an error reply to a command, which is null for a script. */
const fromReply = (text: string, command: string | null, keyPrefix: string): ServerError => {
  if (/^NOPERM|ACL failure|The user executing the script/.test(text)) {
    return new ServerError(
      "NOPERM",
      `the user lacks a permission: expected ACL SETUSER USER ${permissions(keyPrefix)}`
    )
  }
  const missing = /(?:global variable|attempt to \w+ \w+) '(\w+)'/.exec(text)?.[1]
  if (command === null && missing !== undefined) {
    return new ServerError(
      `no ${missing}`,
      `the Lua of the server has no ${missing}: ${fixes["script error"]}`
    )
  }
  if (command !== null && /unknown (?:redis )?command/i.test(text)) {
    return new ServerError(
      "unknown command",
      `the server has no command ${command}: expected Redis 5 or later, without renamed commands`
    )
  }
  if (/DB index/.test(text)) return new ServerError("no such database")
  // Before version 6.
  if (/invalid password/.test(text)) return new ServerError("WRONGPASS")
  return new ServerError(/^[A-Z]+/.exec(text)?.[0] ?? "rejected")
}

/** Whether an error is a reply of the server. */
export const isReply = (error: unknown): error is Error =>
  error instanceof Error && error.name === "ReplyError"

/** Describes an error of the connection or a reply. Returns null if it says nothing about the cause. */
export const fromError = (error: unknown, keyPrefix: string): ServerError | null => {
  if (isReply(error)) {
    const name = Predicate.hasProperty(error, "command") && Predicate.hasProperty(error.command, "name")
      ? String(error.command.name)
      : null
    const isScript = name?.startsWith("eval") === true && /script/.test(error.message)
    return fromReply(error.message, isScript ? null : name, keyPrefix)
  }
  if (error instanceof Error && error.name === "ParserError") return new ServerError("another protocol")
  return error instanceof Error && "code" in error && typeof error.code === "string" &&
      /^[A-Z][A-Z0-9_]*$/.test(error.code)
    ? new ServerError(error.code)
    : null
}

/** Describes what ioredis says about a Sentinel that leads to no primary. */
export const fromSentinelError = (text: string): ServerError =>
  new ServerError(
    /NOAUTH|WRONGPASS/.test(text)
      ? "Sentinel password"
      : /unknown command/i.test(text)
      ? "no Sentinel"
      : /No such master/.test(text)
      ? "unknown primary"
      : "no Sentinel replies"
  )
