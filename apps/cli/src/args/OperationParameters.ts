/** Derives options and arguments from the parameters of an operation, and the operation's input from their values. */
import type { AnyOperation, Parameter } from "@blockquarry/core/Operation"
import type { InvalidInputError } from "@blockquarry/core/OperationError"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { UsageError } from "../errors/CommandError.ts"
import { kebabCase } from "../text/KebabCase.ts"
import type { ArgumentValues } from "./ArgumentValues.ts"
import { boundForms, minutesOrMonths } from "./Bounds.ts"
import { chainOf, chainOptionName, severalChains } from "./Chains.ts"
import { expecting } from "./Checks.ts"
import type { ArgumentDescription } from "./CommandDescription.ts"
import { commandArgument, type CommandOption, switchOption, textOption } from "./CommandOption.ts"
import { closestMatch, didYouMean } from "./Suggest.ts"

/** The parts of an operation that determine its parameters. */
type OperationShape = Pick<AnyOperation, "id" | "method" | "path" | "parameters">

/** Returns the values that a parameter's schema lists: the only valid ones, or examples of valid ones. */
const listedValues = ({ jsonSchema }: Parameter): ReadonlyArray<string> => {
  const { enum: only, examples } = Predicate.isRecord(jsonSchema["items"]) ? jsonSchema["items"] : jsonSchema
  return [only, examples].flatMap((values) => Array.isArray(values) ? values.filter(Predicate.isString) : [])
}

/** Returns a spelling without spaces, which needs no quotes in a shell. */
const slug = (value: string): string => value.toLowerCase().replaceAll(" ", "-")

/** Returns the values for help and completions: names, without the hexadecimal IDs that are synonyms. */
const choicesOf = (parameter: Parameter): ReadonlyArray<string> =>
  listedValues(parameter).filter((value) => !value.startsWith("0x")).map(slug)

const isArray = ({ jsonSchema }: Parameter): boolean => jsonSchema.type === "array"

const isArgument = (parameter: Parameter): boolean => parameter.in !== "query"

const placeholder = (parameter: Parameter): string => {
  const { jsonSchema: { type }, name } = parameter
  if (/chain/.test(name)) return "chain"
  if (/address/.test(name)) return "address"
  if (/date/.test(name)) return "date"
  if (/_block$/.test(name)) return "block"
  if (type === "integer" || type === "number") return "number"
  return choicesOf(parameter).length > 0 ? "name" : "text"
}

/** Replaces the names of parameters by the names of their options. */
const withOptionNames = ({ parameters }: OperationShape, text: string): string =>
  parameters.filter((parameter) => !isArgument(parameter) && kebabCase(parameter.name) !== parameter.name)
    .reduce((result, { name }) => result.replaceAll(name, `--${kebabCase(name)}`), text)

/** Inserts what the command line accepts in addition, before a remark such as "(default: latest)". */
const describeOption = (operation: OperationShape, { description, name }: Parameter): string => {
  const forms = boundForms(kebabCase(name))
  const also = forms === null ? "" : `; also ${forms}`
  return withOptionNames(operation, description).replace(/(?: \(.*)?$/s, (remark) => also + remark)
    .replace("Chain name or hexadecimal chain ID", "Any chain, by name or ID. Known ones")
    .replace("hexadecimal chain ID", "ID")
    .replace("requires range", "requires --range")
}

/** What help and completions say about the values of a parameter. */
const valueDetails = (parameter: Parameter) => ({
  choices: choicesOf(parameter),
  ...placeholder(parameter) === "address" ? { completes: "alias" as const } : {}
})

const limitCheck = expecting(
  "an integer of at least 1",
  (value) => /^\d+$/.test(value) && Number(value) >= 1,
  // Elsewhere, 0 often means no limit
  (value) => Number(value) === 0 ? "to read more records than a page has, use --max-items or --all" : null
)

/** Options that a service accepts only together. */
const required: Readonly<Record<string, string>> = { "range": "total-ranges", "total-ranges": "range" }

export const toArguments = ({ parameters }: OperationShape): ReadonlyArray<ArgumentDescription> =>
  parameters.filter(isArgument).map((parameter) =>
    commandArgument(kebabCase(parameter.name), parameter.description, valueDetails(parameter))
  )

/** `severalChains`: whether the command takes more than one chain. */
export const toOptions = (operation: OperationShape, severalChains = true): ReadonlyArray<CommandOption> =>
  operation.parameters.filter((parameter) => !isArgument(parameter)).map((parameter) => {
    const name = kebabCase(parameter.name)
    const description = describeOption(operation, parameter)
    return parameter.jsonSchema.type === "boolean"
      ? switchOption(name, description)
      : textOption(name, placeholder(parameter), description, {
        ...valueDetails(parameter),
        ...name === "limit" ? { check: limitCheck } : {},
        requires: required[name],
        isRepeatable: isArray(parameter) || (severalChains && name === chainOptionName)
      })
  })

/** Replaces slugs, and chains, by the spelling of the schema. Commas separate the items of a list. */
const fromSlug = (parameter: Parameter, value: string): string => {
  const restore = (text: string) =>
    placeholder(parameter) === "chain"
      ? chainOf(text)
      : listedValues(parameter).find((value) => slug(value) === text.trim().toLowerCase()) ?? text
  return isArray(parameter) ? value.split(",").map(restore).join(",") : restore(value)
}

/** Decodes the values of options and arguments, and encodes them as the input of the operation's client. */
export const decodeArguments = <I, InputEncoded>(
  operation: OperationShape & { readonly input: Schema.Schema<I, InputEncoded> },
  values: ArgumentValues
): Either.Either<{ readonly input: I; readonly encoded: InputEncoded }, UsageError> => {
  const chains = severalChains(values)
  if (chains !== null) {
    return Either.left(
      new UsageError({
        reason: `--${chainOptionName}: expected one chain, got ${JSON.stringify(chains.join(","))}`,
        hint: "run the command for each chain"
      })
    )
  }
  const raw = Object.fromEntries(operation.parameters.flatMap((parameter) => {
    const all = (values.get(kebabCase(parameter.name)) ?? []).map((value) => fromSlug(parameter, value))
    return all.length === 0 ? [] : [[parameter.name, isArray(parameter) ? all : all[0]]]
  }))
  return Either.mapBoth(decodeInput(operation, raw), {
    onLeft: ({ issues: [issue] }) => toUsageError(operation, values, issue),
    onRight: (input) => ({ input, encoded: Schema.encodeSync(operation.input)(input) })
  })
}

/** Checks each of several chains, before the first one is read. */
export const checkChains = (
  operation: OperationShape & { readonly input: Schema.Schema.AnyNoContext },
  values: ArgumentValues
): Either.Either<void, UsageError> => {
  for (const chain of values.get(chainOptionName) ?? []) {
    const decoded = decodeInput(operation, { [chainOptionName]: chain })
    const issue = Either.isRight(decoded)
      ? undefined
      : decoded.left.issues.find(({ parameter }) => parameter === chainOptionName)
    if (issue !== undefined) {
      return Either.left(toUsageError(operation, new Map([[chainOptionName, [chain]]]), issue))
    }
  }
  return Either.void
}

/** Replaces the names and values of the schema by their spelling on the command line. */
const rewordReason = (operation: OperationShape, parameter: Parameter, reason: string): string =>
  listedValues(parameter).filter((value) => value.includes(" "))
    .reduce((text, value) => text.replaceAll(value, slug(value)), withOptionNames(operation, reason))
    .replace("a hexadecimal chain ID", "ID").replace("its hexadecimal chain ID", "its chain ID")

/** Returns a hint with forms that a bound may have; null for other parameters. */
const examplesOf = (parameter: Parameter): string | null => {
  const forms = boundForms(kebabCase(parameter.name))
  return forms && `for example ${placeholder(parameter) === "date" ? "2024-01-31" : "22000000"}, ${forms}`
}

const toUsageError = (
  operation: OperationShape,
  values: ArgumentValues,
  { parameter: parameterPath, reason }: InvalidInputError["issues"][number]
): UsageError => {
  const parameter = operation.parameters.find(({ name }) => name === parameterPath.split(".")[0])
  if (parameter === undefined) {
    return new UsageError({ reason: `${parameterPath}: ${reason}`, hint: null, concernsInput: true })
  }
  const name = kebabCase(parameter.name)
  const choices = choicesOf(parameter)
  const words = (values.get(name) ?? []).flatMap((value) => value.split(","))
  // An address begins with a digit
  const names = placeholder(parameter) === "address" && words.some((word) => /^[a-z]/i.test(word))
    ? "quarry alias list shows the names of addresses"
    : null
  const [suggestion] = words.filter((word) => !choices.includes(slug(fromSlug(parameter, word))))
    .map((word) => closestMatch(word, choices))
  const [reworded = reason, similar] = rewordReason(operation, parameter, reason).split("; did you mean ")
  return isArgument(parameter)
    ? new UsageError({
      reason: `<${name}>: ${reworded}`,
      hint: didYouMean(suggestion) ?? names,
      concernsInput: true
    })
    : new UsageError({
      reason: `--${name}: ${reworded}`,
      hint: (similar && `did you mean --${name} ${similar}`) ??
        didYouMean(suggestion && `--${name} ${suggestion}`) ??
        names ??
        minutesOrMonths(values.get(name)?.join() ?? "") ??
        (reason.startsWith("invalid range") ? null : examplesOf(parameter)),
      option: name
    })
}
