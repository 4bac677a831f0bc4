/**
 * Values of records that no built-in type describes.
 *
 * @since 0.1.0
 */

/**
 * `0x` followed by hexadecimal digits: addresses (40 digits) and hashes (64 digits), in lower case.
 *
 * @since 0.1.0
 * @category values
 */
export type Hex = `0x${string}`

/**
 * A JSON value of unspecified structure. An integer outside ±(2^53 − 1) is a string of its digits.
 *
 * @since 0.1.0
 * @category values
 */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<JsonValue>
  | { readonly [key: string]: JsonValue }

/**
 * One of the known values, or any other string, because the API may add values. Editors suggest the known values.
 *
 * @since 0.1.0
 * @category values
 */
export type OpenEnum<Known extends string> = Known | (string & {})
