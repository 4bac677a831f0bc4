/** The texts of suggestions for mistyped words. */
export { closestMatch } from "@blockquarry/core/Suggestion"

/** Returns the hint for a suggestion; null without one. */
export const didYouMean = (suggestion: string | undefined): string | null =>
  suggestion === undefined ? null : `did you mean ${suggestion}?`
