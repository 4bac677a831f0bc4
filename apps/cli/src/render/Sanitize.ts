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

const invisibleCharacters =
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

/** Returns the text on one line, without control characters. */
export const sanitize = (text: string): string =>
  text.replace(escapeSequences, "").replace(lineBreaks, " ").replace(invisibleCharacters, "")

/** Control characters except the line breaks and tabs of formatted text. */
const unsafeCharacters =
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Removes what changes the state of a terminal. Keeps line breaks and tabs. */
export const withoutControls = (text: string): string => text.replace(unsafeCharacters, "")
