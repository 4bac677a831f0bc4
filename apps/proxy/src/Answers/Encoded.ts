/**
 * Answers in the encodings that clients want, and their entity tags: each is worked out once for an answer that is
 * kept, and encoded bodies stay for as long as there is room.
 */
import type { Answer } from "@blockquarry/http/Answer"
import * as Effect from "effect/Effect"
import { LRUCache } from "lru-cache"
import * as Conditional from "./Conditional.ts"
import { choose, encode, type Encoding, smallest } from "./Encoding.ts"

export interface Body {
  readonly bytes: Uint8Array
  /** Undefined: as it is. */
  readonly encoding: Encoding | undefined
}

export interface Encoded {
  readonly tagOf: (answer: Answer) => string
  /** The body that a client wants, if it is there; undefined where it must be made first. */
  readonly ready: (answer: Answer, accept: string | undefined) => Body | undefined
  /** `keep`: whether the answer is one that may be given again. */
  readonly make: (answer: Answer, accept: string | undefined, keep: boolean) => Effect.Effect<Body>
}

/** For encoded bodies, which are a tenth of what they encode. */
const maxBytes = 32 * 1024 * 1024

export const make = (): Encoded => {
  const tags = new WeakMap<Answer, string>()
  const bodies = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 8,
    sizeCalculation: (bytes, key) => bytes.byteLength + key.length * 2 + 256
  })
  const tagOf: Encoded["tagOf"] = (answer) => {
    const before = tags.get(answer)
    if (before !== undefined) return before
    const tag = Conditional.tagOf(answer.bytes)
    tags.set(answer, tag)
    return tag
  }
  const ready: Encoded["ready"] = (answer, accept) => {
    const encoding = encodingOf(answer, accept)
    if (encoding === undefined) return { bytes: answer.bytes, encoding }
    const bytes = bodies.get(`${encoding} ${tagOf(answer)}`)
    return bytes === undefined ? undefined : { bytes, encoding }
  }
  return {
    tagOf,
    ready,
    make: (answer, accept, keep) => {
      const before = ready(answer, accept)
      const encoding = encodingOf(answer, accept)
      if (before !== undefined || encoding === undefined) {
        return Effect.succeed(before ?? { bytes: answer.bytes, encoding })
      }
      return Effect.map(Effect.promise(() => encode(encoding, answer.bytes)), (bytes) => {
        if (keep) bodies.set(`${encoding} ${tagOf(answer)}`, bytes)
        return { bytes, encoding }
      })
    }
  }
}

/** Only whole answers: failures are short, and each is another. */
const encodingOf = ({ bytes, status }: Answer, accept: string | undefined): Encoding | undefined =>
  status !== 200 || bytes.byteLength < smallest ? undefined : choose(accept)
