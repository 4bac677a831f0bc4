/** Returns whether a name is one that a user may choose for the API key, which no option and no file takes. */
export const looksLikeApiKey = (name: string): boolean =>
  /^(?:quarry[-_])?(?:x[-_]?)?(?:api[-_]?)?(?:key|token|secret|password|auth|authorization)$/i.test(name)
