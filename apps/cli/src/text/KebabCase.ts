/** Returns the option name of a parameter: `from-block` for `from_block` and `fromBlock`. */
export const kebabCase = (name: string): string =>
  name.replaceAll("_", "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
