/** Plain functions that decode or encode a part of a document, and their combinators. */
import type * as AST from "effect/SchemaAST"
import { UnreadableField } from "./UnreadableField.ts"

/** The fields that cannot be read. With `skipRecords`, the records of a list that cannot be read are among them. */
export interface Unreadable extends Array<UnreadableField> {
  skipRecords?: boolean
}

/**
 * Returns the converted value, or undefined if the input is invalid: then the Schema decodes it again and reports why.
 * Appends to `unreadable` each field that cannot be read and becomes null.
 */
export type Converter = (input: unknown, unreadable: Unreadable) => unknown

export const isConverter = (value: unknown): value is Converter => typeof value === "function"

/** Returns a converter that is created on first use. */
export const lazyConverter = (make: () => Converter): Converter => {
  let convert: Converter | undefined
  return (input, unreadable) => (convert ??= make())(input, unreadable)
}

export const convertString: Converter = (input) => typeof input === "string" ? input : undefined

/** The name of the records of a list. */
export const recordField = "result[]"

/** Converts null to null, and undefined and the empty string if `isLenient`. */
export const nullToNull = (convert: Converter, isLenient: boolean): Converter => (input, unreadable) =>
  input === null || (isLenient && (input === undefined || input === "")) ? null : convert(input, unreadable)

/** Converts an invalid input to null, and reports the field instead of those inside of it. */
export const unreadableToNull =
  (convert: Converter, field: string, schema: AST.AST): Converter => (input, unreadable) => {
    const { length } = unreadable
    const value = convert(input, unreadable)
    if (value !== undefined) return value
    unreadable.splice(length, Infinity, new UnreadableField(field, input, schema))
    return null
  }

/** Converts with the first converter that can, and reports the fields of that one only. */
export const convertUnion = (converters: ReadonlyArray<Converter>): Converter => (input, unreadable) => {
  const { length } = unreadable
  for (const convert of converters) {
    const value = convert(input, unreadable)
    if (value !== undefined) return value
    unreadable.length = length
  }
  return undefined
}

/** The records that were left out of a list because they cannot be read, as they were received. */
export const invalidRecords = new WeakMap<object, ReadonlyArray<unknown>>()

/** Converts an array. `record` is the schema of its elements if they are the records of a list. */
export const convertArray =
  (convert: Converter, minLength: number, record: AST.AST | null): Converter => (input, unreadable) => {
    if (!Array.isArray(input) || input.length < minLength) return undefined
    const values = new Array<unknown>(input.length)
    let reported = unreadable.length
    let length = 0
    for (let index = 0; index < input.length; index++) {
      const value = convert(input[index], unreadable)
      if (value !== undefined) values[length++] = value
      else if (record === null || unreadable.skipRecords !== true) return undefined
      else {
        unreadable.splice(reported, Infinity, new UnreadableField(recordField, input[index], record))
        invalidRecords.set(values, [...invalidRecords.get(values) ?? [], input[index]])
      }
      while (reported < unreadable.length) unreadable[reported++]?.prependIndex(index)
    }
    values.length = length
    return values
  }
