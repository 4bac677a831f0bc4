/** Plain functions that read a part of a document, or write one, and how they are put together. */

/** The value, or undefined where the input cannot be read: the Schema then judges it. */
export type Reader = (input: unknown) => unknown

export const isReader = (value: unknown): value is Reader => typeof value === "function"

/** A reader that is made when it is first used. */
export const lazily = (make: () => Reader): Reader => {
  let read: Reader | undefined
  return (input) => (read ??= make())(input)
}

export const text: Reader = (input) => typeof input === "string" ? input : undefined

/** Absent, undefined and null are the same, and are null in the model. */
export const orNull = (read: Reader): Reader => (input) =>
  input === null || input === undefined ? null : read(input)

export const list = (read: Reader, least: number): Reader => (input) => {
  if (!Array.isArray(input) || input.length < least) return undefined
  const values = new Array<unknown>(input.length)
  for (let index = 0; index < input.length; index++) {
    const value = read(input[index])
    if (value === undefined) return undefined
    values[index] = value
  }
  return values
}
