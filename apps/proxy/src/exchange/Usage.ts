/** Receives what the proxy records of requests, for the access log, metrics and the status page. */
import * as Context from "effect/Context"
import type { AccessLogEntry } from "./AccessLogEntry.ts"

export class Usage extends Context.Tag("quarry-proxy/Usage")<Usage, {
  readonly record: (entry: AccessLogEntry) => void
  /** Receives usage that arrives after its request has completed. */
  readonly recordLate: (client: string | null, attempts: number, cost: number) => void
}>() {}
