/** In what manner a question is asked: as it is, encoded, only where its answer is another by now, or as a whole list. */

/** Encodings that every Node reads. */
export const encodings = ["gzip", "br"] as const

type Encoding = (typeof encodings)[number]

export type RequestVariant =
  | { readonly kind: "plain" }
  | { readonly kind: "encoded"; readonly encoding: Encoding }
  /** `tag`: of the answer that the client has. */
  | { readonly kind: "conditional"; readonly tag: string }
  | { readonly kind: "list" }

type VariantKind = RequestVariant["kind"]

/** The parts of requests of each kind; the rest is plain. */
const variantShares: ReadonlyArray<readonly [kind: VariantKind, part: number]> = [
  ["encoded", 0.04],
  ["conditional", 0.04],
  ["list", 0.02]
]

/** A kind by chance. */
export const kindForDraw = (chance: number): VariantKind => {
  let remaining = chance
  return variantShares.find(([, part]) => (remaining -= part) < 0)?.[0] ?? "plain"
}

/** Headers of a request. */
export const variantHeaders = (variant: RequestVariant): Readonly<Record<string, string>> => {
  switch (variant.kind) {
    case "encoded":
      return { "accept-encoding": variant.encoding }
    case "conditional":
      return { "if-none-match": variant.tag }
    case "plain":
    case "list":
      return {}
  }
}

/** What right answers come as in a soak: those of these kinds that never came were not looked at. */
export const responseForms: ReadonlyArray<string> = ["whole", ...encodings, "not modified", "list"]

/** A tag that no answer has. */
export const unmatchedEtag = "W/\"nobody's\""
