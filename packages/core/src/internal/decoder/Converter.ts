/** Plain functions that decode or encode a part of a document, and their combinators. */

/** Receives the path of each field that cannot be read and becomes null, such as `result.last_sale`. */
type OnUnreadable = (path: string) => void

/** Returns the converted value, or undefined if the input is invalid: then the Schema decodes it again and reports why. */
export type Converter = (input: unknown, onUnreadable: OnUnreadable) => unknown

export const isConverter = (value: unknown): value is Converter => typeof value === "function"

/** Returns a converter that is created on first use. */
export const lazyConverter = (make: () => Converter): Converter => {
  let convert: Converter | undefined
  return (input, onUnreadable) => (convert ??= make())(input, onUnreadable)
}

export const convertString: Converter = (input) => typeof input === "string" ? input : undefined

/** Converts null to null, and undefined and the empty string if `isLenient`. */
export const nullToNull = (convert: Converter, isLenient: boolean): Converter => (input, onUnreadable) =>
  input === null || (isLenient && (input === undefined || input === "")) ? null : convert(input, onUnreadable)

/** Converts an invalid input for which `isUnreadable` is true to null, and reports the field. */
export const unreadableToNull =
  (convert: Converter, isUnreadable: Converter, path: string): Converter => (input, onUnreadable) => {
    const value = convert(input, onUnreadable)
    if (value !== undefined || isUnreadable(input, onUnreadable) !== true) return value
    onUnreadable(path)
    return null
  }

export const convertArray = (convert: Converter, minLength: number): Converter => (input, onUnreadable) => {
  if (!Array.isArray(input) || input.length < minLength) return undefined
  const values = new Array<unknown>(input.length)
  for (let index = 0; index < input.length; index++) {
    const value = convert(input[index], onUnreadable)
    if (value === undefined) return undefined
    values[index] = value
  }
  return values
}
