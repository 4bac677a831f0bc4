/**
 * What is computed at most once, when it is first asked for.
 */

/** A value. */
export const lazy = <A>(compute: () => A): () => A => {
  let box: { readonly value: A } | undefined
  return () => (box ??= { value: compute() }).value
}

/** A value per key. */
export const lazyBy = <K, A>(compute: (key: K) => A): (key: K) => A => {
  const boxes = new Map<K, { readonly value: A }>()
  return (key) => {
    const known = boxes.get(key)
    if (known !== undefined) return known.value
    const value = compute(key)
    boxes.set(key, { value })
    return value
  }
}
