/** Formats numbers of things. */

/** Returns a count with separators between thousands. */
export const formatCount = (count: number | bigint): string => count.toLocaleString("en-US")

/** Returns a count with the name of what is counted, in the singular for one. For example `1 page`, `2,000 pages`. */
export const countOf = (count: number | bigint, plural: string): string =>
  `${formatCount(count)} ${Number(count) === 1 ? plural.replace(/s$/, "") : plural}`
