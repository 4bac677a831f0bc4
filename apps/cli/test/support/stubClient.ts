/** HTTP clients with fixed responses. */
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"

/** A recorded request. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export const bodyOf = ({ body }: HttpClientRequest): string | null =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : body._tag === "Empty" ? null : body._tag

/** Creates a client that returns the same response to every request, and records the requests. */
export const respondingWith = (
  text: string,
  status = 200,
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" }
): { readonly client: HttpClient.HttpClient; readonly sent: ReadonlyArray<SentRequest> } => {
  const sent: Array<SentRequest> = []
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      sent.push({
        method: request.method,
        url: url.href,
        headers: { ...request.headers },
        body: bodyOf(request)
      })
      return HttpClientResponse.fromWeb(request, new Response(text, { status, headers }))
    })
  )
  return { client, sent }
}
