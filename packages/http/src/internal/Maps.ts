/** Maps whose values are created when they are first needed. */

interface GetSet<in K, in out V> {
  readonly get: (key: K) => V | undefined
  readonly set: (key: K, value: V) => unknown
}

/** Returns the value of a key. Without one, creates it. */
export const getOrInsert = <K, V>(map: GetSet<K, V>, key: K, create: (key: K) => V): V => {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = create(key)
  map.set(key, created)
  return created
}
