/** The values that a command line, or the settings, give to options and arguments. */

/** Values of the command line by name of the option or argument. The value of a switch is `true` or `false`. */
export type ArgumentValues = ReadonlyMap<string, ReadonlyArray<string>>

/** Returns the value of an option or argument that is not repeatable. */
export const singleValue = (values: ArgumentValues, name: string): string | undefined =>
  values.get(name)?.at(-1)

/** Returns the value of an option with an integer check; null if it is not set. */
export const integerValue = (values: ArgumentValues, name: string): number | null => {
  const text = singleValue(values, name)
  return text === undefined ? null : Number(text)
}

export const isEnabled = (values: ArgumentValues, name: string): boolean =>
  singleValue(values, name) === "true"

/** Returns whether an option is set. A switch is not if it is off. */
export const isSet = (values: ArgumentValues, name: string): boolean =>
  (singleValue(values, name) ?? "false") !== "false"

/** Stands for the standard input, as an argument or as the value of `--from`. */
export const stdinArgument = "-"
