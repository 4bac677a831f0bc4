/** A request to the proxy, whatever server it came through. */
import type * as Effect from "effect/Effect"
import type { ProxyError } from "./ProxyError.ts"

export interface ProxyRequest {
  readonly method: string
  /** As it stood in the request line. */
  readonly target: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The address at the other end of the connection. */
  readonly remoteAddress: string
  /** The body, of so many bytes at most. */
  readonly body: (maxBytes: number) => Effect.Effect<Uint8Array, ProxyError>
  /** Whether the server is about to stop. */
  readonly shuttingDown: boolean
  /** Whether the time is nearly over, by now, that it has to end what it took. */
  readonly shouldEndStreams: () => boolean
}
