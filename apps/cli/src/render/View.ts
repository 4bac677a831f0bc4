/** How tables and records are shown: what times are relative to, and how much room values may take. */
import type { StreamInfo } from "../terminal/StreamInfo.ts"

export type OutputFormat = "table" | "json" | "ndjson" | "csv"

export const outputFormats: ReadonlyArray<OutputFormat> = ["table", "json", "ndjson", "csv"]

export const isOutputFormat = (text: string): text is OutputFormat =>
  outputFormats.some((format) => format === text)

export interface View {
  readonly stream: StreamInfo
  /** Whether values are shown whole, in lines of any length. Always outside a terminal. */
  readonly isWide: boolean
  /** The current time in milliseconds since 1970; null to show absolute times. */
  readonly now: number | null
  /** The address that all records concern, in lower case; null if there is none. */
  readonly subject: string | null
  /** Returns the name of an address in the address book; null if it has none. */
  readonly aliasOf: (address: string) => string | null
}
