/** A request to the proxy, independent of the HTTP server. */
import type * as Effect from "effect/Effect"
import type { ProxyError } from "./ProxyError.ts"

export interface ProxyRequest {
  readonly method: string
  /** The request target exactly as in the request line. */
  readonly target: string
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly remoteAddress: string
  /** Reads the body. Fails if it exceeds `maxBytes`. */
  readonly body: (maxBytes: number) => Effect.Effect<Uint8Array, ProxyError>
  /** Whether the server was shutting down when it received the request. */
  readonly shuttingDown: boolean
  /** Whether streaming responses should end now, because the server is shutting down. */
  readonly shouldEndStreams: () => boolean
}
