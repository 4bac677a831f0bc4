/**
 * Indents JSON text without parsing it, so that numbers keep every digit and truncated text is shown as far as it goes.
 */
export const formatJson = (text: string): string => {
  let output = ""
  let depth = 0
  let quoted = false
  const line = () => `\n${"  ".repeat(Math.max(0, depth))}`
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (quoted) {
      output += character
      if (character === "\\") output += text.charAt(at += 1)
      else if (character === "\"") quoted = false
      continue
    }
    switch (character) {
      case "\"":
        quoted = true
        output += character
        break
      case "{":
      case "[": {
        depth += 1
        const rest = /\s*[}\]]/y
        rest.lastIndex = at + 1
        output += character + (rest.test(text) ? "" : line())
        break
      }
      case "}":
      case "]":
        depth -= 1
        output += (/[{[]$/.test(output) ? "" : line()) + character
        break
      case ",":
        output += `,${line()}`
        break
      case ":":
        output += ": "
        break
      case " ":
      case "\n":
      case "\t":
      case "\r":
        break
      default:
        output += character
    }
  }
  return output
}
