/** Directions relative to the wallet that a list is about. */
import type { Column } from "./Table.ts"
import type { View } from "./View.ts"

type Direction = "in" | "out" | "self"

/** Returns the direction of what moves between two addresses; null if neither is the wallet. */
export const directionOf = (
  from: string | null,
  to: string | null,
  { subject }: Pick<View, "subject">
): Direction | null =>
  subject === null || (from !== subject && to !== subject)
    ? null
    : from === to
    ? "self"
    : to === subject
    ? "in"
    : "out"

/** Creates a column of directions, with the words for what comes in and goes out. */
export const directionColumn = <A>(
  header: string,
  addresses: (record: A) => readonly [from: string | null, to: string | null],
  words: { readonly in: string; readonly out: string }
): Column<A> => ({
  header,
  kind: "fixed",
  minWidth: "self".length,
  isOptional: true,
  cell: (record, view) => {
    const direction = directionOf(...addresses(record), view)
    return direction === null || direction === "self" ? direction ?? "" : words[direction]
  },
  style: (text) => text === words.in ? "green" : null
})
