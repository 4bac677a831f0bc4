/** Formats JSON. Escapes the control characters that are valid in JSON but change the state of a terminal. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const controlCharacters = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Formats a value on one line, or indented if `indent` is set. */
export const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(controlCharacters, escapeCharacter)
