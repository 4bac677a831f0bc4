/** Binary search. */

/** The first index of which `holds`, where it holds for all behind that too; `length` where it holds for none. */
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
