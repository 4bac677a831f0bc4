/** The maximum memory of a process, by the table in README.md. */
import type { Config } from "../../../src/config/Config.ts"

const megabyte = 1024 * 1024

/** Node, the program, uncollected garbage, encoded responses, parsed requests and buffered log lines. */
export const fixedMemory = { node: 320, encodedBodies: 32, parsedRequests: 16, log: 8 } as const

/** The maximum for responses in flight, in MiB. */
export const responsesInFlight = ({ limits }: Pick<Config, "limits">): number =>
  limits.maxConcurrentRequests * limits.maxResponseBytes / megabyte

/** In MiB. */
export const worstCaseMemory = (config: Pick<Config, "cache" | "limits">): number =>
  Object.values<number>(fixedMemory).reduce((sum, part) => sum + part, 0) + responsesInFlight(config) +
  config.cache.maxBytes / megabyte
