/** Formats of export files: parts one after another, and an end that depends on all parts. */
import type { RecordFormat } from "./RecordFormat.ts"

const formatsByExtension = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
  ".parquet": "parquet"
} as const

export const fileExtensions = Object.keys(formatsByExtension).join(", ")

/** Returns the format that the extension of a file selects; undefined for another extension. */
export const formatOfFile = (file: string) =>
  Object.entries(formatsByExtension).find(([extension]) => file.toLowerCase().endsWith(extension))?.[1]

export interface FileFormat {
  /** Starts the part at an offset of the file. The part at offset 0 contains what precedes the records. */
  readonly startPart: (offset: number) => PartEncoder
  /** Returns the bytes after the last part. `footers` are those of all parts, in order. */
  readonly end: (footers: ReadonlyArray<string | null>, offset: number) => Uint8Array
}

/** Encodes the records of one part. The bytes depend on the records only, not on how they arrive. */
export interface PartEncoder {
  readonly add: (records: ReadonlyArray<unknown>) => Uint8Array
  /** Returns the records that have no bytes yet, because the part encodes all of its records together. */
  readonly pending: () => ReadonlyArray<unknown>
  /** The size of the part so far, in bytes before compression. */
  readonly size: () => number
  /** Returns the remaining bytes, and what the end of the file needs to know about the part. */
  readonly end: () => { readonly bytes: Uint8Array; readonly footer: string | null }
}

const encoder = new TextEncoder()

/** Creates the format of a file from a text format whose records need nothing from the records before them. */
export const textFile = (format: RecordFormat): FileFormat => ({
  startPart: (offset) => {
    let prefix = offset === 0 ? format.start() : ""
    let size = 0
    const take = (text: string): Uint8Array => {
      const bytes = encoder.encode(prefix + text)
      prefix = ""
      size += bytes.length
      return bytes
    }
    return {
      add: (records) => take(format.records(records).join("")),
      pending: () => [],
      size: () => size,
      end: () => ({ bytes: take(""), footer: null })
    }
  },
  end: () => encoder.encode(format.end())
})
