/** Formats JSON. Escapes the characters that are valid in JSON but change the state of a terminal, or show nothing. */
import { childTexts, replaceLoneSurrogates } from "@blockquarry/core/LosslessJson"
import * as Arr from "effect/Array"
import { escapeControls, withoutControls } from "./Sanitize.ts"

/** A value as JSON text, with numbers that a JavaScript number cannot represent. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Formats a result of jq as text: a string without quotes, anything else as JSON. */
export const toText = ({ text }: JsonText, isTerminal: boolean): string => {
  if (!text.startsWith("\"")) return escapeControls(text)
  const content = String(JSON.parse(text))
  return isTerminal ? withoutControls(content) : content
}

/** Formats a value on one line, or indented if `indent` is set. JSON text stays as it is. */
export const toJson = (value: unknown, indent?: number): string =>
  escapeControls(
    value instanceof JsonText ? value.text : replaceLoneSurrogates(JSON.stringify(value, null, indent))
  )

/** Returns the text of an object as it is written, with the cursor of another one. */
export const withCursorOf = (text: string, other: string): string => {
  const membersOf = (object: string) =>
    new Map(Arr.chunksOf(childTexts(object), 2).map(([name, value = ""]) => [name, value]))
  const members = membersOf(text)
  const cursor = membersOf(other).get("\"cursor\"")
  if (cursor === undefined || cursor === members.get("\"cursor\"")) return text
  return `{${[...members.set("\"cursor\"", cursor)].map((member) => member.join(":")).join(",")}}`
}
