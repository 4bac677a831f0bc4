/**
 * Makes untrusted text safe for a terminal.
 *
 * The deployer of a contract chooses its names and labels. They may contain escape sequences for colors, cursor moves,
 * window titles, links or the clipboard, and bidirectional control characters that make one name look like another. All
 * of these are removed.
 */
const escapeSequences = new RegExp(
  [
    // Strings such as titles, links and clipboard content, up to the terminator or the end of the line
    String
      .raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?`,
    // Control sequences such as colors and cursor moves
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?`,
    // Other escape sequences
    String.raw`\u001b[ -/]*[0-~]?`
  ].join("|"),
  "g"
)

const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g

/**
 * A character that a terminal interprets, or that shows nothing: control characters and those that Unicode lets programs
 * ignore, among them marks of direction and joiners. Joiners and variation selectors within emoji are kept.
 */
const invisibleCharacter = [
  String.raw`[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb]`,
  String.raw`(?<!\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f]?\u200d(?=\p{Extended_Pictographic}))`,
  String.raw`(?<!\p{Extended_Pictographic}\ufe0f)`
].join("")

const invisibleCharacters = new RegExp(invisibleCharacter, "gu")

/** Returns the text on one line, without invisible characters. */
export const sanitize = (text: string): string =>
  text.replace(escapeSequences, "").replace(lineBreaks, " ").replace(invisibleCharacters, "")

/** Line breaks and tabs of formatted text are kept. */
const unsafeCharacters = new RegExp(String.raw`(?![\t\n])${invisibleCharacter}`, "gu")

/** Removes what changes the state of a terminal, and what shows nothing. Keeps line breaks and tabs. */
export const withoutControls = (text: string): string => text.replace(unsafeCharacters, "")

/** Strings of JSON escape the other control characters already. */
const unescapedCharacters = new RegExp(String.raw`(?![\0-\x1f])${invisibleCharacter}`, "gu")

/** Escapes the same characters in JSON. */
export const escapeControls = (json: string): string =>
  json.replace(
    unescapedCharacters,
    (character) =>
      character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
  )
