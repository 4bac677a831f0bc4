/**
 * Bounds the memory for response bodies (`limits.maxBufferedBytes`): those that are received from the upstream, and those
 * that clients have not read yet. Each client has a share, so that one that reads slowly cannot take all memory.
 *
 * A body that several clients read is counted for each of them, although it is in memory once. What the engine does with a
 * body between receiving and sending it, such as parsing, takes further memory for a moment.
 */
import { type BodyBudget, type CallClient, FairShare } from "@blockquarry/http/Gateway"
import type { Config } from "../config/Config.ts"

export interface BufferedBytes {
  /** The memory that all clients use, in bytes. */
  readonly used: () => number
  /** Returns the memory of a client. */
  readonly budgetOf: (client: CallClient.CallClient) => BodyBudget.BodyBudget
}

/** The limit of the current configuration applies, also to clients that already use more. */
export const make = (currentConfig: () => Pick<Config, "limits">): BufferedBytes => {
  const memory = FairShare.make({
    get capacity() {
      return currentConfig().limits.maxBufferedBytes
    }
  })
  return {
    used: () => memory.used,
    budgetOf: ({ name, share }) => ({
      tryAcquire: (bytes) => memory.tryAcquire(name, bytes, share),
      release: (bytes) => memory.release(name, bytes)
    })
  }
}
