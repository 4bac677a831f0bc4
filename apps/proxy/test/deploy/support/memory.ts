/** The memory that a process takes at worst, by the table in README.md. */
import type { Config } from "../../../src/Config/Config.ts"

const megabyte = 1024 * 1024

/** Node and the program with what is not yet collected, encoded answers, questions that were read before, lines of the log. */
export const fixed = { node: 240, encoded: 32, questions: 16, log: 8 } as const

/** What answers under way take at worst, in MiB. */
export const underWay = ({ limits }: Pick<Config, "limits">): number =>
  limits.requests * limits.answer / megabyte

/** In MiB. Where there is Redis, answers are kept there. */
export const most = (config: Pick<Config, "cache" | "limits" | "redis">): number =>
  Object.values<number>(fixed).reduce((sum, part) => sum + part, 0) + underWay(config) +
  (config.redis === null ? config.cache.maxBytes / megabyte : 0)
