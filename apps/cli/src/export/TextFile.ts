/** Export files of text formats. */
import type { FileFormat } from "../formats/FileFormat.ts"
import type { RecordFormat } from "../formats/RecordFormat.ts"

const encoder = new TextEncoder()

/** Creates the format of a file from a format whose records need nothing from the records before them. */
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
      room: () => Infinity,
      add: (records) => take(format.records(records).join("")),
      pending: () => [],
      flush: () => take(""),
      size: () => size,
      end: () => ({ bytes: take(""), footer: null })
    }
  },
  end: () => encoder.encode(format.end())
})
