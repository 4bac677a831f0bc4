/** Formats of the output. */
export type OutputFormat = "table" | "json" | "ndjson"

export const outputFormats: ReadonlyArray<OutputFormat> = ["table", "json", "ndjson"]

export const isOutputFormat = (text: string): text is OutputFormat =>
  outputFormats.some((format) => format === text)
