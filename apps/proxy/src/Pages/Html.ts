/** Markup with values in it: whatever is not markup itself is shown as text. */

export interface Html {
  readonly markup: string
}

type Piece = Html | string | number | null | ReadonlyArray<Html>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;"
}

/** Text as it is written in markup, in attributes too. */
const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)

const written = (piece: Piece): string => {
  if (piece === null) return ""
  if (typeof piece === "string" || typeof piece === "number") return escape(String(piece))
  return "markup" in piece ? piece.markup : piece.map(({ markup }) => markup).join("")
}

export const html = (strings: TemplateStringsArray, ...pieces: ReadonlyArray<Piece>): Html => ({
  markup: strings.map((string, index) => string + written(pieces[index] ?? null)).join("")
})
