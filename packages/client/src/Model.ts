/** Models as values: how to decode and make records. */

/** A model: how to decode and make its records. */
export interface Model<Record, Example extends Record = Record> {
  /**
   * Decodes a record: JSON that `encode` returned, or a record of a response of the API. Throws an `InvalidRecordError` if
   * the value is not a record of this model.
   */
  readonly decode: (json: unknown) => Record
  /** Returns an example record, for tests. `fields` replace those of the example. */
  readonly example: (fields?: Partial<Example>) => Example
}
