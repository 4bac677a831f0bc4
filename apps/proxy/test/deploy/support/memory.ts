/** The memory that a process takes at worst, by the table in README.md. */
import type { Config } from "../../../src/config/Config.ts"

const megabyte = 1024 * 1024

/** Node and the program with what is not yet collected, encoded answers, questions that were read before, lines of the log. */
export const fixedMemory = { node: 240, encodedBodies: 32, parsedRequests: 16, log: 8 } as const

/** What answers under way take at worst, in MiB. */
export const responsesInFlight = ({ limits }: Pick<Config, "limits">): number =>
  limits.maxConcurrentRequests * limits.maxResponseBytes / megabyte

/** In MiB. Where there is Redis, answers are kept there. */
export const worstCaseMemory = (config: Pick<Config, "cache" | "limits" | "redis">): number =>
  Object.values<number>(fixedMemory).reduce((sum, part) => sum + part, 0) + responsesInFlight(config) +
  (config.redis === null ? config.cache.maxBytes / megabyte : 0)
