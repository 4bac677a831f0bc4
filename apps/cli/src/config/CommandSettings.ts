import type * as Duration from "effect/Duration"
import type { OutputFormat } from "../render/OutputFormat.ts"
import type { Configuration } from "./Configuration.ts"

export interface CommandSettings {
  readonly format: OutputFormat
  readonly isSandbox: boolean
  readonly isVerbose: boolean
  /** Whether the command reads whole lists or many inputs. */
  readonly sendsManyRequests: boolean
  /** Timeout of the whole command; null for the default timeouts of the client. A setting does not end long commands. */
  readonly timeout: Duration.Duration | null
  readonly configuration: Configuration
}
