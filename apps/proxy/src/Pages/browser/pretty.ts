/**
 * JSON with line breaks, by its characters alone: numbers keep every digit, and what is cut off is shown as far as it came.
 * The page carries the source of this function: it refers to nothing outside of itself.
 */

export const pretty = () => (text: string): string => {
  let written = ""
  let depth = 0
  let quoted = false
  const line = () => `\n${"  ".repeat(Math.max(0, depth))}`
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (quoted) {
      written += character
      if (character === "\\") written += text.charAt(at += 1)
      else if (character === "\"") quoted = false
      continue
    }
    switch (character) {
      case "\"":
        quoted = true
        written += character
        break
      case "{":
      case "[": {
        depth += 1
        const rest = /\s*[}\]]/y
        rest.lastIndex = at + 1
        written += character + (rest.test(text) ? "" : line())
        break
      }
      case "}":
      case "]":
        depth -= 1
        written += (/[{[]$/.test(written) ? "" : line()) + character
        break
      case ",":
        written += `,${line()}`
        break
      case ":":
        written += ": "
        break
      case " ":
      case "\n":
      case "\t":
      case "\r":
        break
      default:
        written += character
    }
  }
  return written
}

export type Pretty = ReturnType<typeof pretty>
