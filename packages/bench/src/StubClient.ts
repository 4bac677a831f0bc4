/** An in-process HttpClient without network and with minimal overhead, to measure only the processing of responses. */
import * as Cookies from "@effect/platform/Cookies"
import * as PlatformHeaders from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

const unmeasured = Effect.dieMessage("no subject reads this form of a body")

class StubResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly request: HttpClientRequest
  readonly status = 200
  readonly cookies = Cookies.empty
  readonly remoteAddress = Option.none()
  readonly urlParamsBody = unmeasured
  readonly formData = unmeasured
  readonly headers: PlatformHeaders.Headers
  readonly arrayBuffer: Effect.Effect<ArrayBuffer>

  constructor(request: HttpClientRequest, bytes: Buffer<ArrayBuffer>) {
    super()
    this.request = request
    this.headers = PlatformHeaders.unsafeFromRecord({
      "content-type": "application/json",
      "content-length": String(bytes.byteLength)
    })
    // Copied, because bytes from a socket are a new buffer each time
    this.arrayBuffer = Effect.sync(() =>
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
    )
  }

  get text(): Effect.Effect<string> {
    return Effect.map(this.arrayBuffer, (buffer) => Buffer.from(buffer).toString())
  }

  get json(): Effect.Effect<unknown> {
    return Effect.map(this.text, (text): unknown => JSON.parse(text))
  }

  get stream(): Stream.Stream<Uint8Array> {
    return Stream.fromEffect(Effect.map(this.arrayBuffer, (buffer) => new Uint8Array(buffer)))
  }

  toJSON(): unknown {
    return { _id: "StubResponse", status: this.status }
  }
}

/** Creates a client that responds to every request with the bytes that `body` returns for its URL. */
export const makeStubClient = (body: (url: URL) => Buffer<ArrayBuffer>): HttpClient.HttpClient =>
  HttpClient.make((request, url) => Effect.sync(() => new StubResponse(request, body(url))))
