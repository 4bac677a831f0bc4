/**
 * Cross-origin resource sharing (CORS, Fetch standard): which responses browsers show to web pages of other origins.
 *
 * A preflight request has no token, so it is answered for the origins of all clients. The request itself is for the origins
 * of its client only.
 */
import type { ClientConfig } from "../config/Config.ts"

type Headers = Readonly<Record<string, string | undefined>>

export interface Cors {
  /** Whether a page of the origin may use the tokens of the client; of any client, if its name is null. */
  readonly allowsOrigin: (origin: string, client: string | null) => boolean
  /**
   * Whether a browser must hide the responses of the client from the page that sends the request. They must not be 304:
   * the browser would complete it with its stored response, whose headers may allow the page as one of another client.
   */
  readonly hidesFrom: (headers: Headers, client: string) => boolean
  /** Returns the headers that a response of the client needs, beside those that it has. `Allow` has the methods of the path. */
  readonly headersFor: (
    request: { readonly method: string; readonly headers: Headers },
    client: string | null,
    response: Headers
  ) => Readonly<Record<string, string>>
}

/** Returns undefined if no client has origins: then no response needs headers. */
export const make = (clients: ReadonlyArray<Pick<ClientConfig, "cors" | "name">>): Cors | undefined => {
  const byClient = new Map(clients.map(({ cors, name }) => [name, new Set(cors.origins)]))
  const all = new Set(clients.flatMap(({ cors }) => cors.origins))
  if (all.size === 0) return undefined
  const allowsOrigin: Cors["allowsOrigin"] = (origin, client) =>
    (client === null ? all : byClient.get(client))?.has(origin) === true
  return {
    allowsOrigin,
    hidesFrom: ({ origin }, client) => origin !== undefined && !allowsOrigin(origin, client),
    headersFor: (request, client, { allow = "GET, HEAD, POST", vary }) => {
      const { origin } = request.headers
      const varying = { vary: vary === undefined ? "origin" : `${vary}, origin` }
      if (origin === undefined || !allowsOrigin(origin, client)) return varying
      const allowed = { ...varying, "access-control-allow-origin": origin }
      return isPreflight(request)
        ? {
          ...allowed,
          "access-control-allow-methods": allow,
          "access-control-allow-headers": allowedHeaders(request.headers["access-control-request-headers"]),
          // The longest time of Chromium, in seconds. The request itself is checked again.
          "access-control-max-age": "7200"
        }
        : { ...allowed, "access-control-expose-headers": exposedHeaders }
    }
  }
}

/** Whether a browser asks if it may send a request. */
export const isPreflight = (
  { headers, method }: { readonly method: string; readonly headers: Headers }
): boolean => method === "OPTIONS" && headers["access-control-request-method"] !== undefined

const requestHeaders =
  "authorization, cache-control, content-type, if-none-match, pragma, traceparent, tracestate, user-agent, x-api-key, x-request-id"

/**
 * Returns the headers that a page may send: also those that it asks for, as SDKs and tracers always send some of their own, which
 * the proxy ignores. Not `*`, which a browser would take for all.
 */
const allowedHeaders = (requested = ""): string => {
  const names = requested.toLowerCase().split(",").map((name) => name.trim()).filter((name) => name !== "")
  return requested.length <= 1024 && names.every((name) => /^[\w!#$%&'+.^`|~-]+$/.test(name))
    ? [...new Set([...requestHeaders.split(", "), ...names])].join(", ")
    : requestHeaders
}

/** Beside those that every page may read, such as `Content-Type` and `Cache-Control`. */
const exposedHeaders =
  "age, allow, cache-status, etag, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-quota-warning, " +
  "x-request-id"
