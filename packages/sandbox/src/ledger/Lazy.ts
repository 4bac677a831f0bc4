/**
 * What is computed at most once, when it is first asked for.
 */

/** A value. */
export const lazy = <A>(compute: () => A): () => A => {
  let cached: { readonly value: A } | undefined
  return () => (cached ??= { value: compute() }).value
}

/** A value per key. */
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
