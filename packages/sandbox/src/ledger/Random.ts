/**
 * Pseudo-random numbers seeded by a string.
 *
 * `randomAt` returns the number at any index; `makeRandom` creates a sequential generator. Both apply a 32-bit finalizer
 * to a counter (SplitMix), which is fast and sufficient for test data.
 */

/** Mixes the bits of a 32-bit integer. A bijection. */
export const mixBits = (value: number): number => {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** Returns a 32-bit hash of a string. */
export const hashText = (text: string): number => {
  let bits = 0x811c9dc5
  for (let i = 0; i < text.length; i++) bits = Math.imul(bits ^ text.charCodeAt(i), 0x01000193)
  return mixBits(bits)
}

/** Returns a 32-bit integer for each index below 2^32. */
export const randomAt = (name: string): (index: number) => number => {
  const start = hashText(name)
  return (index) => mixBits(Math.imul(index ^ start, 0x9e3779b1))
}

/** A stateful generator. Each call advances it, so it must not be shared between passes. */
export interface Random {
  /** Returns an integer from 0 to `limit` - 1. */
  readonly below: (limit: number) => number
  /** Returns true with a probability of `percent` %. */
  readonly chance: (percent: number) => boolean
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** Returns an integer from 0 to `limit` - 1. `limit` must be positive. */
  readonly bigBelow: (limit: bigint) => bigint
}

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
      if (item === undefined) throw new Error("cannot pick from an empty list")
      return item
    },
    bigBelow: (limit) => {
      let value = BigInt(next())
      for (let reach = limit >> 32n; reach > 0n; reach >>= 32n) value = (value << 32n) | BigInt(next())
      return value % limit
    }
  }
}
