/** Formats JSON. Escapes the control characters that are valid in JSON but change the state of a terminal. */
import { withoutControls } from "./Sanitize.ts"

// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const controlCharacters = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** A value as JSON text, with numbers that a JavaScript number cannot represent. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Formats a result of jq as text: a string without quotes, anything else as JSON. */
export const toText = ({ text }: JsonText, isTerminal: boolean): string => {
  if (!text.startsWith("\"")) return text.replace(controlCharacters, escapeCharacter)
  const content = String(JSON.parse(text))
  return isTerminal ? withoutControls(content) : content
}

/** Formats a value on one line, or indented if `indent` is set. JSON text stays as it is. */
export const toJson = (value: unknown, indent?: number): string =>
  (value instanceof JsonText ? value.text : JSON.stringify(value, null, indent)).replace(
    controlCharacters,
    escapeCharacter
  )
