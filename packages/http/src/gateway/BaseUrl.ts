/**
 * Base URLs of the APIs.
 *
 * Unstable: this module may change in any release.
 */
import { type ApiName, pathPrefix } from "@blockquarry/core/Operation"
import * as Either from "effect/Either"

/**
 * Normalizes a base URL: removes trailing slashes, keeps its path, and appends the path prefix of the API unless it is
 * there. A left is the reason why the URL is invalid.
 */
export const normalize = (api: ApiName, baseUrl: string | URL): Either.Either<string, string> => {
  const text = String(baseUrl)
  if (!URL.canParse(text)) return Either.left("not a URL; expected https://host/path")
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return Either.left("expected an http or https URL")
  }
  if (url.username !== "" || url.password !== "") {
    return Either.left("must not contain credentials; set the API key instead")
  }
  if (url.search !== "" || url.hash !== "") return Either.left("must not have a query string or fragment")
  const path = url.pathname.replace(/^(.*[^/])?\/+$/, "$1")
  return Either.right(url.origin + (path.endsWith(pathPrefix[api]) ? path : path + pathPrefix[api]))
}

/** Returns the host and port of a base URL. */
export const hostOf = (baseUrl: string): string => new URL(baseUrl).host
