/**
 * JSON text. Characters that steer a terminal and that JSON lets through are written as escapes: the data is the
 * same.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const controlCharacters = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** On one line, or for people where `indent` is given. */
export const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(controlCharacters, escapeCharacter)
