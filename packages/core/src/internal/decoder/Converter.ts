/** Plain functions that decode or encode a part of a document, and their combinators. */

/** Returns the converted value, or undefined if the input is invalid: then the Schema decodes it again and reports why. */
export type Converter = (input: unknown) => unknown

export const isConverter = (value: unknown): value is Converter => typeof value === "function"

/** Returns a converter that is created on first use. */
export const lazyConverter = (make: () => Converter): Converter => {
  let convert: Converter | undefined
  return (input) => (convert ??= make())(input)
}

export const convertString: Converter = (input) => typeof input === "string" ? input : undefined

/** Converts null to null, and undefined if `isLenient`. */
export const nullToNull = (convert: Converter, isLenient: boolean): Converter => (input) =>
  input === null || (isLenient && input === undefined) ? null : convert(input)

/** Converts an invalid input for which `isUnreadable` is true to null. */
export const unreadableToNull = (convert: Converter, isUnreadable: Converter): Converter => (input) => {
  const value = convert(input)
  return value === undefined && isUnreadable(input) === true ? null : value
}

export const convertArray = (convert: Converter, minLength: number): Converter => (input) => {
  if (!Array.isArray(input) || input.length < minLength) return undefined
  const values = new Array<unknown>(input.length)
  for (let index = 0; index < input.length; index++) {
    const value = convert(input[index])
    if (value === undefined) return undefined
    values[index] = value
  }
  return values
}
