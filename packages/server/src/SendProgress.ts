/** How fast the client of a connection reads what is sent to it. */
import type * as Http from "node:http"
import type * as Net from "node:net"

export interface SendLimits {
  /** How long a client may read nothing, and the time over which `minSendRate` is measured, in milliseconds. */
  readonly sendIdleTimeoutMs: number
  readonly sendTimeoutMs: number
  /** In bytes per second. */
  readonly minSendRate: number
}

export class SendProgress {
  /** Whether data waited at the last call of `isTooSlow`, and the writes that the system had accepted completely, in bytes. */
  #isWaiting = false
  #sent = 0
  /** By how many bytes the client may fall behind the minimum rate. */
  #allowance = 0
  /** The response that data waits for, and for how long its body has been complete, in milliseconds. */
  #response: Http.ServerResponse | undefined
  #responseMs = 0

  /**
   * Whether the client reads too slowly, or does not close a connection that the server has ended. `response` is the one that data
   * waits for, `elapsedMs` the time since the previous call.
   *
   * What the system has accepted of a write is not known until it has accepted all of it, so a client has the time that the rest
   * takes at the minimum rate. One that reads nothing is found by the timeout of its socket, which is set here: it begins again
   * whenever the system accepts bytes.
   */
  isTooSlow(
    socket: Net.Socket,
    response: Http.ServerResponse | undefined,
    elapsedMs: number,
    { minSendRate, sendIdleTimeoutMs, sendTimeoutMs }: SendLimits
  ): boolean {
    const { bytesWritten, writableEnded, writableLength } = socket
    if (writableLength === 0 && !writableEnded) {
      // Between two chunks of a stream the time continues.
      if (response === undefined) this.#isWaiting = false
      return false
    }
    const isSameResponse = this.#isWaiting && this.#response === response
    if (!isSameResponse) socket.setTimeout(sendIdleTimeoutMs)
    const fullAllowance = minSendRate * sendIdleTimeoutMs / 1000
    const sent = bytesWritten - writableLength
    const change = sent - this.#sent - minSendRate * elapsedMs / 1000
    this.#allowance = this.#isWaiting ? Math.min(fullAllowance, this.#allowance + change) : fullAllowance
    this.#responseMs = isSameResponse && response?.writableEnded === true ? this.#responseMs + elapsedMs : 0
    this.#isWaiting = true
    this.#sent = sent
    this.#response = response
    return this.#allowance + writableLength <= 0 || this.#responseMs >= sendTimeoutMs
  }
}
