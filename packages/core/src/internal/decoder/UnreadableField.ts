import * as ParseResult from "effect/ParseResult"
import type * as AST from "effect/SchemaAST"
import { issueOf } from "../nullable.ts"
import { type Mismatch, mismatchOf } from "./Mismatch.ts"

/**
 * A field that is null because it, or a fact inside of it, cannot be read. Path and reason are those of an error that a fact in
 * its place would cause, as in `result[3].last_sale.price`.
 */
export class UnreadableField implements Mismatch {
  /** The name of the field in the description, the same for all records: `result[].last_sale`. */
  readonly field: string
  readonly #value: unknown
  readonly #schema: AST.AST
  #indexes: ReadonlyArray<number> = []
  #mismatch: Mismatch | undefined

  constructor(field: string, value: unknown, schema: AST.AST) {
    this.field = field
    this.#value = value
    this.#schema = schema
  }

  /** For the lists around the field, from the inside out. */
  prependIndex(index: number): void {
    this.#indexes = [index, ...this.#indexes]
  }

  get path(): string {
    const indexes = this.#indexes.values()
    const field = this.field.replaceAll("[]", () => `[${indexes.next().value}]`)
    const { path } = this.#inner
    return path === "" || path.startsWith("[") ? field + path : `${field}.${path}`
  }

  /** May quote the document. */
  get reason(): string {
    return this.#inner.reason
  }

  /** Computed when it is needed. */
  get #inner(): Mismatch {
    return this.#mismatch ??= mismatchOf(ParseResult.parseError(issueOf(this.#schema, this.#value)))
  }
}
