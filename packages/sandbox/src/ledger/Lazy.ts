/** Values that are computed at most once, on first access. */

/** A lazy value. */
export const lazy = <A>(compute: () => A): () => A => {
  let cached: { readonly value: A } | undefined
  return () => (cached ??= { value: compute() }).value
}

/** A lazy value for each key. */
export const lazyBy = <K, A>(compute: (key: K) => A): (key: K) => A => {
  const cache = new Map<K, { readonly value: A }>()
  return (key) => {
    const cachedValue = cache.get(key)
    if (cachedValue !== undefined) return cachedValue.value
    const value = compute(key)
    cache.set(key, { value })
    return value
  }
}
