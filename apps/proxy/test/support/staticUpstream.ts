/** An upstream that always sends the same response. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"

export const staticUpstream = (
  status: number,
  body: string | Uint8Array | null,
  headers: Readonly<Record<string, string>> = {}
): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    Effect.sync(() =>
      HttpClientResponse.fromWeb(
        request,
        new Response(body instanceof Uint8Array ? new Uint8Array(body) : body, {
          status,
          headers: { ...headers }
        })
      )
    )
  )
