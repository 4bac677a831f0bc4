/** Formats of export files: parts one after another, and an end that depends on all parts. */

export interface FileFormat {
  /** Starts the part at an offset of the file. The part at offset 0 contains what precedes the records. */
  readonly startPart: (offset: number) => PartEncoder
  /** Returns the bytes after the last part. `footers` are those of all parts, in order. */
  readonly end: (footers: ReadonlyArray<string | null>, offset: number) => Uint8Array
}

/** Encodes the records of one part. The bytes depend on the records only, not on how they arrive. */
export interface PartEncoder {
  /** Adds records and returns the bytes that can be written. */
  readonly add: (records: ReadonlyArray<unknown>) => Uint8Array
  /** The size of the part so far, in bytes before compression. */
  readonly size: () => number
  /** Returns the remaining bytes, and what the end of the file needs to know about the part. */
  readonly end: () => { readonly bytes: Uint8Array; readonly footer: string | null }
}
