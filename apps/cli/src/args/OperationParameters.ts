/**
 * Options and arguments that follow from an operation's parameters, and the way back: what was written, as the
 * operation's input.
 */
import type { Parameter } from "@blockquarry/core/Operation"
import type { InvalidInputError } from "@blockquarry/core/OperationError"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { UsageError } from "../CommandError.ts"
import type { ArgumentSpec, ArgumentValues, OptionSpec } from "./CommandSpec.ts"
import { kebabCase } from "./KebabCase.ts"
import { closestMatch } from "./Suggest.ts"

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter(Predicate.isString) : []

/** The values that a parameter's schema lists, as the specification spells them; `known` ones are not the only ones. */
const listedValues = (
  { jsonSchema }: Parameter
): { readonly only: ReadonlyArray<string>; readonly known: ReadonlyArray<string> } => {
  const items = Predicate.isRecord(jsonSchema["items"]) ? jsonSchema["items"] : jsonSchema
  return { only: strings(items["enum"]), known: strings(items["examples"]) }
}

/** A value without spaces, so that nobody has to quote it. */
const slug = (value: string): string => value.toLowerCase().replaceAll(" ", "-")

/** What help and completion offer: names, not the ids that say the same. */
const choicesOf = (parameter: Parameter): ReadonlyArray<string> => {
  const { known, only } = listedValues(parameter)
  return [...only, ...known].filter((value) => !value.startsWith("0x")).map((value) =>
    /[A-Z]/.test(value) ? value : slug(value)
  )
}

const isArray = ({ jsonSchema }: Parameter): boolean => jsonSchema.type === "array"

const isSwitch = ({ jsonSchema }: Parameter): boolean => jsonSchema.type === "boolean"

const placeholder = (parameter: Parameter): string => {
  const { name } = parameter
  if (/chain/.test(name)) return "chain"
  if (/address/.test(name)) return "address"
  if (/date/.test(name)) return "date"
  return parameter.jsonSchema.type === "integer" || parameter.jsonSchema.type === "number"
    ? "number"
    : choicesOf(parameter).length > 0
    ? "name"
    : "text"
}

const toOption = (parameter: Parameter): OptionSpec => ({
  name: kebabCase(parameter.name),
  value: isSwitch(parameter) ? null : placeholder(parameter),
  description: parameter.description,
  choices: choicesOf(parameter),
  repeatable: isArray(parameter)
})

const toArgument = (parameter: Parameter): ArgumentSpec => ({
  name: kebabCase(parameter.name),
  description: parameter.description,
  choices: choicesOf(parameter)
})

/** What has to be given, in the order of the specification. */
export const toArguments = (
  { parameters }: Pick<OperationShape, "parameters">
): ReadonlyArray<ArgumentSpec> => parameters.filter(isPositional).map(toArgument)

/** What may be given. */
export const toOptions = ({ parameters }: Pick<OperationShape, "parameters">): ReadonlyArray<OptionSpec> =>
  parameters.filter((parameter) => !isPositional(parameter)).map(toOption)

const isPositional = (parameter: Parameter): boolean => parameter.in !== "query"

/** A value as the specification spells it, where its slug was written; lists are written with commas. */
const fromSlug = (parameter: Parameter, value: string): string => {
  const { known, only } = listedValues(parameter)
  const restore = (text: string) =>
    [...only, ...known].find((value) => slug(value) === text.trim().toLowerCase()) ?? text
  return isArray(parameter) ? value.split(",").map(restore).join(",") : restore(value)
}

interface OperationShape {
  readonly id: string
  readonly method: "GET" | "POST"
  readonly path: `/${string}`
  readonly parameters: ReadonlyArray<Parameter>
}

/** What was written, read and written again as the operation's callers write it; a left names the option. */
export const decodeArguments = <I, InputEncoded>(
  operation: OperationShape & { readonly input: Schema.Schema<I, InputEncoded> },
  values: ArgumentValues
): Either.Either<{ readonly input: I; readonly written: InputEncoded }, UsageError> => {
  const raw = Object.fromEntries(operation.parameters.flatMap((parameter) => {
    const all = (values.get(kebabCase(parameter.name)) ?? []).map((value) => fromSlug(parameter, value))
    return all.length === 0 ? [] : [[parameter.name, isArray(parameter) ? all : all[0]]]
  }))
  return Either.mapBoth(decodeInput(operation, raw), {
    onLeft: (error) => toUsageError(operation, values, error),
    onRight: (input) => ({ input, written: Schema.encodeSync(operation.input)(input) })
  })
}

/** How a parameter was written: `--from-block` or `<address>`. */
const parameterLabel = (parameter: Parameter, isArgument: boolean): string =>
  isArgument ? `<${kebabCase(parameter.name)}>` : `--${kebabCase(parameter.name)}`

/** What the schema says, with parameters and values in the spelling of the command line. */
const rewordProblem = ({ parameters }: OperationShape, parameter: Parameter, reason: string): string => {
  const options = parameters.filter(({ in: place, name }) => place === "query" && name.includes("_"))
    .map(({ name }) => [name, `--${kebabCase(name)}`] as const)
  const values = listedValues(parameter).only.filter((value) => value.includes(" "))
    .map((value) => [value, slug(value)] as const)
  return [...options, ...values].reduce((text, [from, to]) => text.replaceAll(from, to), reason)
}

/** The first issue is enough: one mistake, one message. */
const toUsageError = (
  operation: OperationShape,
  values: ArgumentValues,
  error: InvalidInputError
): UsageError => {
  const [{ parameter: parameterPath, reason: problem }] = error.issues
  const parameter = operation.parameters.find(({ name }) => name === parameterPath.split(".")[0])
  if (parameter === undefined) return new UsageError({ reason: `${parameterPath}: ${problem}`, hint: null })
  const isArgument = isPositional(parameter)
  const words = values.get(kebabCase(parameter.name))?.flatMap((value) => value.split(",")) ?? []
  const choices = choicesOf(parameter)
  const suggestion =
    words.filter((word) => !choices.includes(word)).map((word) => closestMatch(word, choices))[0]
  return new UsageError({
    reason: `${parameterLabel(parameter, isArgument)}: ${rewordProblem(operation, parameter, problem)}`,
    hint: suggestion === undefined
      ? null
      : `did you mean ${isArgument ? suggestion : `${parameterLabel(parameter, false)} ${suggestion}`}?`
  })
}
