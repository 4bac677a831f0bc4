/** How a request came out, in the one way that the status page, usage and metrics count it. */
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"

/**
 * - `answered`: with an answer of the service, kept or fresh; its 404 is an answer, and so is its 400.
 * - `refused`: by us, with 4xx. So is a request that takes only a kept answer, where none is kept.
 * - `failed`: with 5xx, by us or by the service.
 * - `hung up`: nobody waited for the answer.
 */
export type RequestOutcome = "answered" | "refused" | "failed" | "hung up"

export const outcomeOf = ({ code, status }: AccessLogEntry): RequestOutcome => {
  if (status === 499) return "hung up"
  if (code === "not-kept" || (code !== null && status < 500)) return "refused"
  return status >= 500 ? "failed" : "answered"
}
