/** Values that are computed at most once, on first access. */

/** A lazy value for each key. */
export const lazyBy = <K, A>(compute: (key: K) => A): (key: K) => A => {
  const cache = new Map<K, { readonly value: A }>()
  return (key) => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached.value
    const value = compute(key)
    cache.set(key, { value })
    return value
  }
}

/** A lazy value. */
export const lazy = <A>(compute: () => A): () => A => {
  const value = lazyBy(compute)
  return () => value(undefined)
}
