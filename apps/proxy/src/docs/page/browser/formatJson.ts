/**
 * Indents JSON text without parsing it, so that numbers keep every digit and truncated text is shown as far as it goes.
 */
export const formatJson = (text: string): string => {
  let depth = 0
  const line = (change = 0) => {
    depth = Math.max(0, depth + change)
    return `\n${"  ".repeat(depth)}`
  }
  // Strings, the brackets of empty values, punctuation and white space. Numbers and words stay as they are.
  return text.replaceAll(/"(?:\\.|[^"\\])*"?|[{[]\s*[}\]]|[{}[\],:]|\s+/gs, (token) => {
    const [first = ""] = token
    if (first === "\"") return token
    if (/\s/.test(first)) return ""
    if (first === ",") return `,${line()}`
    if (first === ":") return ": "
    if (first === "}" || first === "]") return line(-1) + first
    return token.length > 1 ? first + token.slice(-1) : first + line(1)
  })
}
