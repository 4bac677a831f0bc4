/**
 * Pseudo-random numbers from a text: the same text, the same numbers.
 *
 * Two forms: `at` answers for any index without what came before, `random` is a stream for a pass that goes step by
 * step. Both are a 32-bit finalizer over a counter (splitmix), which is fast and good enough for test data.
 */

/** Spreads the bits of a 32-bit integer. Different integers stay different. */
export const mixBits = (value: number): number => {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** A 32-bit integer for a text. */
export const hashText = (text: string): number => {
  let bits = 0x811c9dc5
  for (let i = 0; i < text.length; i++) bits = Math.imul(bits ^ text.charCodeAt(i), 0x01000193)
  return mixBits(bits)
}

/** A 32-bit integer for each index below 2^32. */
export const randomAt = (name: string): (index: number) => number => {
  const start = hashText(name)
  return (index) => mixBits(Math.imul(index ^ start, 0x9e3779b1))
}

/** A stream of numbers. It moves on with every call, so it belongs to one pass alone. */
export interface Random {
  /** An integer from zero up to, not including, `limit`. */
  readonly below: (limit: number) => number
  /** True in `percent` of a hundred cases. */
  readonly chance: (percent: number) => boolean
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** An integer from zero up to, not including, `limit`, which is positive. */
  readonly bigBelow: (limit: bigint) => bigint
}

/** @see Random */
export const makeRandom = (name: string): Random => {
  let state = hashText(name)
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0
    return mixBits(state)
  }
  const below = (limit: number): number => next() % limit
  return {
    below,
    chance: (percent) => below(100) < percent,
    pick: (items) => {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error("nothing to pick from")
      return item
    },
    bigBelow: (limit) => {
      let value = BigInt(next())
      for (let reach = limit >> 32n; reach > 0n; reach >>= 32n) value = (value << 32n) | BigInt(next())
      return value % limit
    }
  }
}
