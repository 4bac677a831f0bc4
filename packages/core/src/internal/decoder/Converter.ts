/** Plain functions that read a part of a document, or write one, and how they are put together. */

/** The value, or undefined where the input cannot be read: the Schema then judges it. */
export type Converter = (input: unknown) => unknown

export const isConverter = (value: unknown): value is Converter => typeof value === "function"

/** A reader that is made when it is first used. */
export const lazyConverter = (make: () => Converter): Converter => {
  let convert: Converter | undefined
  return (input) => (convert ??= make())(input)
}

export const convertString: Converter = (input) => typeof input === "string" ? input : undefined

/** Absent, undefined and null are the same, and are null in the model. */
export const nullToNull = (convert: Converter): Converter => (input) =>
  input === null || input === undefined ? null : convert(input)

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
