/** What a response holds that clients share: the slot of its request until it is handed over, and the memory of its body until it is sent. */
import type { BodyMemory } from "@blockquarry/http/gateway/RawResponse"

export class ResponseHold {
  /** The memory that the body uses, or undefined once the request is complete. */
  bodyBytes: number | undefined = 0
  private memory: BodyMemory | undefined
  private isHandedOver = false
  private release: (() => void) | undefined

  /** Ends the request for the limits of its client when the response is handed over. */
  releaseOnHandOver(release: () => void): void {
    // The client may disconnect before the request is counted.
    if (this.isHandedOver) release()
    else this.release = release
  }

  /** The response was handed over to the socket, is only delayed, or the client disconnected. */
  handOver(): void {
    this.isHandedOver = true
    this.release?.()
    this.release = undefined
  }

  /** Changes the memory that the body uses. Returns false, and changes nothing, if there is not enough. */
  holdBody(memory: BodyMemory, bytes: number): boolean {
    // The client may disconnect before its response is complete.
    if (this.bodyBytes === undefined) return true
    if (bytes > this.bodyBytes && !memory.tryAcquire(bytes - this.bodyBytes)) return false
    if (bytes < this.bodyBytes) memory.release(this.bodyBytes - bytes)
    this.bodyBytes = bytes
    this.memory = memory
    return true
  }

  /** The response was sent, or the client disconnected. Must be called once. */
  complete(): void {
    if (this.bodyBytes !== undefined) this.memory?.release(this.bodyBytes)
    this.bodyBytes = undefined
  }
}
