/** HTML templates. Values are escaped unless they are `Html` themselves. */

export interface Html {
  readonly markup: string
}

type HtmlValue = Html | string | number | null | ReadonlyArray<Html>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;"
}

/** Escapes text for use in elements and in quoted attributes. */
const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)

const toMarkup = (piece: HtmlValue): string => {
  if (piece === null) return ""
  if (typeof piece === "string" || typeof piece === "number") return escapeHtml(String(piece))
  return "markup" in piece ? piece.markup : piece.map(({ markup }) => markup).join("")
}

/** Tag of HTML templates. Null renders nothing; a list renders its items in order. */
export const html = (strings: TemplateStringsArray, ...pieces: ReadonlyArray<HtmlValue>): Html => ({
  markup: strings.map((string, index) => string + toMarkup(pieces[index] ?? null)).join("")
})
