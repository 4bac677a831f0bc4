/** How a request came out, in the one way that the status page, usage and metrics count it. */
import type { Facts } from "../Facts.ts"

/**
 * - `answered`: with an answer of the service, kept or fresh; its 404 is an answer, and so is its 400.
 * - `refused`: by us, with 4xx. So is a request that takes only a kept answer, where none is kept.
 * - `failed`: with 5xx, by us or by the service.
 * - `hung up`: nobody waited for the answer.
 */
export type Outcome = "answered" | "refused" | "failed" | "hung up"

export const of = ({ code, status }: Facts): Outcome => {
  if (status === 499) return "hung up"
  if (code === "not-kept" || (code !== null && status < 500)) return "refused"
  return status >= 500 ? "failed" : "answered"
}
