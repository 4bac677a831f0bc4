/**
 * Returns the first index for which `predicate` is true, or `length` if there is none. `predicate` must be true for all
 * following indexes too.
 */
export const firstIndex = (length: number, predicate: (index: number) => boolean): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (predicate(middle)) high = middle
    else low = middle + 1
  }
  return low
}
