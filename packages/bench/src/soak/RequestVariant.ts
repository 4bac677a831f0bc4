/** Variants of requests: plain, encoded, conditional, or a streamed list. */

/** Encodings that all Node versions decode. */
export const encodings = ["gzip", "br"] as const

type Encoding = (typeof encodings)[number]

export type RequestVariant =
  | { readonly kind: "plain" }
  | { readonly kind: "encoded"; readonly encoding: Encoding }
  /** `tag` is the entity tag of the response that the client has. */
  | { readonly kind: "conditional"; readonly tag: string }
  | { readonly kind: "list" }

type VariantKind = RequestVariant["kind"]

/** The ratio of each variant; the rest is plain. */
const variantShares: ReadonlyArray<readonly [kind: VariantKind, ratio: number]> = [
  ["encoded", 0.04],
  ["conditional", 0.04],
  ["list", 0.02]
]

/** Returns a variant for a random number from 0 to 1. */
export const kindForDraw = (draw: number): VariantKind => {
  let remaining = draw
  return variantShares.find(([, ratio]) => (remaining -= ratio) < 0)?.[0] ?? "plain"
}

/** Returns the request headers of a variant. */
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

/** The kinds of correct responses. A soak test must receive each of them. */
export const responseForms: ReadonlyArray<string> = ["complete", ...encodings, "not modified", "list"]

/** An entity tag that no response has. */
export const unmatchedEtag = "W/\"unmatched\""
