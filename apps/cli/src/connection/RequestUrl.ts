/** The URLs of requests, for commands that print them. */
import type { ApiName } from "@blockquarry/core/Operation"
import { type EncodedRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import * as BaseUrl from "@blockquarry/http/BaseUrl"
import * as Either from "effect/Either"
import type { CommandSettings } from "../config/CommandSettings.ts"

/** The address of `quarry sandbox serve`. The sandbox in this process has none. */
const sandboxOrigin = "http://127.0.0.1:4000"

export const requestUrl = (
  { isSandbox }: CommandSettings,
  api: ApiName,
  /** A valid one. */
  baseUrl: string,
  { path, query }: Pick<EncodedRequest, "path" | "query">
): string => {
  const apiUrl = Either.getOrThrow(BaseUrl.normalize(api, baseUrl))
  const url = new URL(apiUrl + path + (query.length === 0 ? "" : `?${formatQuery(query)}`)).href
  return isSandbox ? url.replace(new URL(url).origin, sandboxOrigin) : url
}
