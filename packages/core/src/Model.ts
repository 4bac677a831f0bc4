/** Models: schemas of records with a name and fields. */
import type * as Schema from "effect/Schema"

/**
 * The schema of a record. Unlike that of a `Schema.Struct`, its type is the name of the record. `fields` are those of the struct,
 * for schemas that extend it.
 */
export interface Model<in out A, in out I, out Fields> extends Schema.Schema<A, I> {
  readonly fields: Fields
}
