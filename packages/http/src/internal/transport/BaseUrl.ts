/**
 * Base addresses: where an API is.
 *
 * @since 0.1.0
 */
import { type ApiName, pathPrefix } from "@blockquarry/core/Operation"
import * as Either from "effect/Either"

/**
 * An address to put paths behind: no trailing slash, its own path kept, the API's prefix added once. A left says
 * what is wrong with it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const normalize = (api: ApiName, baseUrl: string | URL): Either.Either<string, string> => {
  const text = String(baseUrl)
  if (!URL.canParse(text)) return Either.left("this is no URL; write it as https://host/path")
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return Either.left("expected an http or https address")
  }
  if (url.username !== "" || url.password !== "") {
    return Either.left("the address carries credentials; the key goes to QUARRY_API_KEY")
  }
  if (url.search !== "" || url.hash !== "") return Either.left("the address must end before ? and #")
  const path = url.pathname.replace(/\/+$/, "")
  return Either.right(url.origin + (path.endsWith(pathPrefix[api]) ? path : path + pathPrefix[api]))
}
