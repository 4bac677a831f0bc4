/** Who may see what the operations listener says of clients, and who may have it do something. */
import * as Either from "effect/Either"
import type { Caller } from "../Clients.ts"
import { type Config, isLoopback } from "../Config/Config.ts"
import * as Failure from "../Failure.ts"
import * as Network from "../Network.ts"
import * as Tokens from "../Tokens.ts"

/**
 * Whoever has a token of operations; where there are none, whoever is on this machine and calls it by its address, so
 * that no page in a browser passes for them under a name of its own.
 */
export const check = (
  { operations }: Pick<Config, "operations">,
  { headers, remote }: Caller
): Either.Either<void, Failure.Failure> => {
  const tokens = operations?.tokens ?? []
  if (tokens.length === 0) {
    const host = Network.hostName(headers["host"] ?? "")
    // Another proxy on this machine speaks for somebody else.
    if (["forwarded", "via", "x-forwarded-for"].some((name) => headers[name] !== undefined)) {
      return Either.left(closed)
    }
    return isLoopback(Network.unmapped(remote)) && isLoopback(host) ? Either.void : Either.left(closed)
  }
  const find = Tokens.index(tokens.map((hash) => [hash, hash] as const))
  const sent = Tokens.sentIn(headers)
  if (sent.length === 0) return Either.left(missing)
  return sent.some((token) => find(token) !== undefined) ? Either.void : Either.left(unknown)
}

const closed = Failure.make(
  "network-refused",
  "only this machine may ask for this, as localhost or by a loopback address; others need a token of operations.tokens"
)

const missing = Failure.make(
  "token-missing",
  "send a token of operations.tokens as Authorization: Bearer",
  Tokens.challenge
)

const unknown = Failure.make("token-unknown", "this token is none of operations.tokens", Tokens.challenge)
