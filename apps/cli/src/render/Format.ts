/** How data is printed. */
export type Format = "table" | "json" | "ndjson"

export const formats: ReadonlyArray<Format> = ["table", "json", "ndjson"]

export const isFormat = (text: string): text is Format => formats.some((format) => format === text)
