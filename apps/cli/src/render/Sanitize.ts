/**
 * Text from elsewhere, made safe for a terminal.
 *
 * Names and labels are written by whoever deployed a contract. A terminal would obey escape sequences in them:
 * colours, cursor moves, window titles, links, even the clipboard. Nothing of that gets through, nor do the
 * characters that turn the direction of writing, with which one name can look like another.
 */
const escapeSequences = new RegExp(
  [
    // Strings that a terminator ends (titles, links, clipboard), the whole of them; unended ones to the line's end
    String
      .raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?`,
    // Control sequences, such as colours and cursor moves
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?`,
    // What is left of escapes
    String.raw`\u001b[ -/]*[0-~]?`
  ].join("|"),
  "g"
)

const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const invisibleCharacters =
  /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

/** One line of text that a terminal only prints. */
export const sanitize = (text: string): string =>
  text.replace(escapeSequences, "").replace(lineBreaks, " ").replace(invisibleCharacters, "")
