/** A name of the specification as an option spells it: `from_block` and `fromBlock` are `from-block`. */
export const kebabCase = (name: string): string =>
  name.replaceAll("_", "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
