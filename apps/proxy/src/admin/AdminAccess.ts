/** Access control of the admin listener. */
import * as Either from "effect/Either"
import * as Clients from "../auth/Clients.ts"
import * as CrossSite from "../auth/CrossSite.ts"
import * as Tokens from "../auth/Tokens.ts"
import type { Config } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"

/** `public` paths, which have no data of clients, are open to everyone, `override` to no one, the others as `admin.open` says. */
export type PathKind = "public" | "metrics" | "operator" | "override"

/**
 * Returns who sends the request, for the log. Allows requests with a token of `admin.tokens` or, if there are none, with the
 * generated token, and those that `admin.open` allows without. The address of the peer proves nothing: a reverse
 * proxy on this machine forwards requests of others, and need not say so. Without a token, a web page of another site must
 * not read through the browser of an operator.
 */
export const checkAccess = (
  { admin, listen }: Pick<Config, "admin" | "listen">,
  generatedTokenHash: string | null,
  kind: PathKind,
  { headers }: Pick<Clients.RequestOrigin, "headers">,
  now: number
): Either.Either<string, ProxyError.ProxyError> => {
  if (kind === "public") return Either.right(unnamed)
  const { open = "none", tokens = [] } = admin ?? {}
  const findOperator = Tokens.lookup(
    tokens.length === 0 && generatedTokenHash !== null
      ? [[{ hash: generatedTokenHash, from: 0, until: Infinity }, unnamed]]
      : tokens.map((token) => [token, operatorOf(token)])
  )
  const operator = findOperator(Tokens.fromHeaders(headers), now)
  if (Either.isRight(operator) || operator.left !== Tokens.unknown) return operator
  if (open === kind || open === "all" && kind !== "override") {
    const checked = Either.flatMap(
      Clients.hostCheck(listen.allowedHosts)(headers),
      () => CrossSite.check(headers)
    )
    return Either.map(checked, () => unnamed)
  }
  return Either.left(Tokens.fromHeaders(headers).length === 0 ? tokenMissing : tokenUnknown)
}

const unnamed = "an operator"

const operatorOf = ({ hash, name }: NonNullable<Config["admin"]>["tokens"][number]): string =>
  name === undefined
    ? `${unnamed} (token ${hash.slice(0, "sha256:".length + 8)})`
    : `operator ${name}`

const tokens =
  "send a token of admin.tokens or, if there are none, the token printed at startup on a terminal, as Authorization: Bearer"

const tokenMissing = ProxyError.make("token-missing", `missing admin token; ${tokens}`, Tokens.challenge)

const tokenUnknown = ProxyError.make("token-unknown", `unknown admin token; ${tokens}`, Tokens.challenge)
