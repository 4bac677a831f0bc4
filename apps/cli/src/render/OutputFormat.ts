export type OutputFormat = "table" | "json" | "ndjson" | "csv"

export const outputFormats: ReadonlyArray<OutputFormat> = ["table", "json", "ndjson", "csv"]

export const isOutputFormat = (text: string): text is OutputFormat =>
  outputFormats.some((format) => format === text)
