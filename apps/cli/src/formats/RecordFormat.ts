/** Text formats of records. Files and stdout use the same ones. */

/** Formats records one after another. `start` precedes the first record, `end` follows the last one. */
export interface RecordFormat {
  readonly start: () => string
  /** Returns the text of each record. */
  readonly records: (records: ReadonlyArray<unknown>) => ReadonlyArray<string>
  readonly end: () => string
}
