/** What `.ci/full` tests completely, and other runs as a sample. */
export const isFull = process.env["QUARRY_FULL"] === "1"

/** Returns all items in `.ci/full`, otherwise every `distance`-th one, from that with the index `first` on. */
export const sample = <A>(all: ReadonlyArray<A>, distance: number, first = 0): ReadonlyArray<A> =>
  isFull ? all : all.filter((_, index) => index % distance === first % distance)
