/** In what manner a question is asked: as it is, encoded, only where its answer is another by now, or as a whole list. */

/** Encodings that every Node reads. */
export const encodings = ["gzip", "br"] as const

type Encoding = (typeof encodings)[number]

export type Manner =
  | { readonly as: "plain" }
  | { readonly as: "encoded"; readonly encoding: Encoding }
  /** `tag`: of the answer that the client has. */
  | { readonly as: "conditional"; readonly tag: string }
  | { readonly as: "list" }

type Kind = Manner["as"]

/** The parts of requests of each kind; the rest is plain. */
const parts: ReadonlyArray<readonly [kind: Kind, part: number]> = [
  ["encoded", 0.04],
  ["conditional", 0.04],
  ["list", 0.02]
]

/** A kind by chance. */
export const kindOf = (chance: number): Kind => {
  let left = chance
  return parts.find(([, part]) => (left -= part) < 0)?.[0] ?? "plain"
}

/** Headers of a request. */
export const headersOf = (manner: Manner): Readonly<Record<string, string>> => {
  switch (manner.as) {
    case "encoded":
      return { "accept-encoding": manner.encoding }
    case "conditional":
      return { "if-none-match": manner.tag }
    case "plain":
    case "list":
      return {}
  }
}

/** What right answers come as in a soak: those of these kinds that never came were not looked at. */
export const forms: ReadonlyArray<string> = ["whole", ...encodings, "not modified", "list"]

/** A tag that no answer has. */
export const nobodysTag = "W/\"nobody's\""
