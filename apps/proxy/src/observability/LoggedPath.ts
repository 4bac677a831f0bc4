/** Shows the path of a request that no route matches, so that an operator finds the mistake of a client. */

const maxLength = 256

/** Ids, addresses and API keys are longer, or have other characters, than the words of paths. */
const maxSegmentLength = 15
const words = /^[a-z]{1,15}([._-][a-z]{1,15})*$/

/**
 * Returns the path of a request target, without its query: at most 256 visible ASCII characters, in which `…` replaces each
 * segment that may be a secret or a value. Undefined if the target has no path.
 */
export const loggedPath = (target: string): string | undefined => {
  if (!target.startsWith("/")) return undefined
  // Cut first, so that this stays cheap for long targets.
  const [path = ""] = target.slice(0, 4 * maxLength).split(/[?#]/, 1)
  const shown = path.split("/").map((segment) =>
    segment.length <= maxSegmentLength || words.test(segment) ? segment.replace(/[^!-~]/g, "") : "…"
  ).join("/")
  return shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown
}
