/** Text formats of records. Files and stdout use the same ones. */

/** Formats records one after another. `start` precedes the first record, `end` follows the last one. */
export interface RecordFormat {
  readonly start: () => string
  readonly records: (records: ReadonlyArray<unknown>) => string
  readonly end: () => string
}
