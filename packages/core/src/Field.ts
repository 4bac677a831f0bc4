/**
 * Optional fields of a program's own models, and their kinds. Both are null in the model if they are absent, null or an empty
 * string.
 *
 * Unreadable fields are counted in structs, lists of them, and unions that a literal distinguishes. Inside of an index signature
 * or a transformation of a program's own they are null without being counted.
 *
 * @example
 * import { Address } from "@blockquarry/core/Address"
 * import { Amount } from "@blockquarry/core/Amount"
 * import { describing, nullable } from "@blockquarry/core/Field"
 * import * as Schema from "effect/Schema"
 *
 * const Token = Schema.Struct({
 *   token_address: Address,
 *   // A fact: a call fails if it cannot be read
 *   balance: nullable(Amount),
 *   // Null, and counted, if it cannot be read
 *   symbol: describing(Schema.String)
 * })
 */
export { describing, type FieldKind, kindOf, type Nullable, nullable } from "./internal/nullable.ts"
