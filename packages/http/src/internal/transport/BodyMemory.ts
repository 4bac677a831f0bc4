/**
 * Bounds the memory of response bodies while they are received.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * Memory for response bodies, in bytes.
 *
 * @since 0.1.0
 * @category models
 */
export interface BodyMemory {
  /** Takes memory before bytes are kept. Returns false, and takes nothing, if there is not enough. */
  readonly tryAcquire: (bytes: number) => boolean
  /** Returns memory that was taken. */
  readonly release: (bytes: number) => void
}

/**
 * The memory for the calls of the enclosing region. Default: unlimited.
 *
 * An attempt takes what it has received of a body. When the body is complete, or the attempt fails or is interrupted, it
 * returns that. If there is not enough, it cancels the body and fails with a `LocalLimitError` with the limit `memory`,
 * which is not retried and does not count as a failure of the upstream. Coalesced calls use the memory of the call that
 * sent the request.
 *
 * @since 0.1.0
 * @category tags
 */
export class CurrentBodyMemory
  extends Context.Reference<CurrentBodyMemory>()("@blockquarry/http/BodyMemory", {
    defaultValue: (): BodyMemory => unlimited
  })
{}

const unlimited: BodyMemory = { tryAcquire: () => true, release: () => {} }
