/** An upstream that always sends the same response. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"

/** An upstream that responds as a function does, which gets the URL of the request. */
export const upstreamOf = (respond: (url: URL) => Response): HttpClient.HttpClient =>
  HttpClient.make((request, url) => Effect.sync(() => HttpClientResponse.fromWeb(request, respond(url))))

/** Default content type: JSON. */
export const staticUpstream = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): HttpClient.HttpClient =>
  upstreamOf(() =>
    new Response(body, { status, headers: { "content-type": "application/json", ...headers } })
  )
