/** What help, manual pages and messages say about options and arguments. */
import {
  type ArgumentSpec,
  type CommandLineDescription,
  type OptionDescription,
  optionGroups
} from "./CommandDescription.ts"

/** Returns the values that a description does not name. */
const unnamedValues = (spec: ArgumentSpec | OptionDescription): string => {
  const { choices = [], description } = spec
  if ("range" in spec && spec.range !== undefined) return spec.range.join(" to ")
  return choices.every((choice) => description.includes(choice)) ? "" : choices.join(", ")
}

/** Inserts the choices or the range that the description does not name, before a remark such as "(default: 0)". */
export const describe = (spec: ArgumentSpec | OptionDescription): string => {
  const values = unnamedValues(spec)
  return values === ""
    ? spec.description
    : spec.description.replace(/(?: \(.*)?$/, (remark) => `: ${values}${remark}`)
}

/** Returns the notation of an option without its short form, for example `--limit <number>`. */
export const optionLabel = ({ name, value }: OptionDescription): string =>
  `--${name}${value === null ? "" : ` <${value}>`}`

export interface OptionSection {
  readonly title: string
  readonly options: ReadonlyArray<OptionDescription>
}

/** Returns options by group, without empty groups. */
export const groupedOptions = (options: ReadonlyArray<OptionDescription>): ReadonlyArray<OptionSection> =>
  optionGroups.map((group) => ({
    title: `${group.slice(0, 1).toUpperCase()}${group.slice(1)} options`,
    options: options.filter((option) => (option.group ?? "command") === group)
  })).filter(({ options }) => options.length > 0)

/** Returns the options that several commands share, each once. */
export const sharedOptions = (all: CommandLineDescription): ReadonlyArray<OptionDescription> => {
  const own = all.commands.flatMap(({ options }) => options).filter(({ group = "command" }) =>
    group !== "command"
  )
  return [
    ...new Map(
      [...own, ...all.globalOptions, ...all.informationOptions].map((option) => [option.name, option])
    ).values()
  ]
}
