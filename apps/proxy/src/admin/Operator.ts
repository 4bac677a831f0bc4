/** Who an operator is, for the log. */
import * as TokenLookup from "../auth/TokenLookup.ts"
import type { Config } from "../config/Config.ts"
import type { ProxyRequest } from "../exchange/ProxyRequest.ts"

/** Returns the name behind the hash of the request's token in `admin.tokens`, or else the start of the hash. */
export const describe = (
  { admin }: Pick<Config, "admin">,
  headers: ProxyRequest["headers"]
): string => {
  const findToken = TokenLookup.lookupByHash((admin?.tokens ?? []).map((token) => [token, token] as const))
  const token = TokenLookup.tokensFromHeaders(headers).map(findToken).find((found) => found !== undefined)
  if (token === undefined) return "an operator"
  const [hash = "", name] = token.split(" ")
  return name === undefined
    ? `an operator (token ${hash.slice(0, "sha256:".length + 8)})`
    : `operator ${name}`
}
