/** Reads options that are needed before the command line is parsed, or although it is invalid. */

/** The option without the pager, which help needs before the command line is run. */
export const noPagerName = "no-pager"

/** Returns the value of an option; undefined if it is not set. */
export const earlyOption = (argv: ReadonlyArray<string>, name: string): string | undefined => {
  const end = argv.indexOf("--")
  const words = end === -1 ? argv : argv.slice(0, end)
  const index = words.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`))
  const word = words[index]
  return word === undefined ? undefined : word.includes("=") ? word.slice(name.length + 3) : words[index + 1]
}

/** Returns whether a switch is on. `alias` is its short form. */
export const earlySwitch = (argv: ReadonlyArray<string>, name: string, alias?: string): boolean => {
  const end = argv.indexOf("--")
  const words = end === -1 ? argv : argv.slice(0, end)
  const short = alias === undefined ? [] : [`-${alias}`]
  const forms = [`--${name}`, ...short, `--${name}=true`, `--${name}=false`, `--no-${name}`]
  const last = words.findLastIndex((word) => forms.includes(word))
  const value = words[last]
  return value === `--${name}=true` ||
    ([`--${name}`, ...short].includes(value ?? "") && words[last + 1] !== "false")
}
