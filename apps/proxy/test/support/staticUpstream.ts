/** An upstream that always sends the same response. */
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"

/** An upstream that responds as a function does, which gets the URL of the request. */
export const upstreamOf = (respond: (url: URL) => Response): HttpClient.HttpClient =>
  HttpClient.make((request, url) => Effect.sync(() => HttpClientResponse.fromWeb(request, respond(url))))

/** An upstream that frames the bodies of its responses: without framing they may be incomplete. */
export const framedUpstream = (
  respond: (request: HttpClientRequest, url: URL) => Effect.Effect<Response>
): HttpClient.HttpClient =>
  HttpClient.make((request, url) =>
    Effect.flatMap(respond(request, url), (response) =>
      Effect.promise(async () => {
        const { headers, status } = response
        const bytes = await response.arrayBuffer()
        headers.set("content-length", String(bytes.byteLength))
        const body = status === 204 || status === 304 ? null : bytes
        return HttpClientResponse.fromWeb(request, new Response(body, { status, headers }))
      }))
  )

/** Default content type: JSON. */
export const staticUpstream = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): HttpClient.HttpClient =>
  upstreamOf(() =>
    new Response(body, { status, headers: { "content-type": "application/json", ...headers } })
  )
