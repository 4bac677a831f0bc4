/** Comments in generated files. */

/** @param {string} text of one paragraph */
const wrap = (text) => {
  const lines = [""]
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? ""
    if (line.length + word.length > 105) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines
}

/**
 * Returns a doc comment with one paragraph.
 *
 * @param {string} text
 */
export const comment = (text) => {
  const [first = "", ...others] = wrap(text)
  return others.length === 0
    ? `/** ${first} */\n`
    : `/**\n${[first, ...others].map((line) => ` * ${line}\n`).join("")} */\n`
}
