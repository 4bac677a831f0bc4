/** Computes the descriptions of commands from their descriptors, for `commands/Descriptions.build.ts`. */
import { describeArguments, describeOptions } from "@blockquarry/command-line/Descriptors"
import * as Struct from "effect/Struct"
import type {
  ArgumentDescription,
  CommandDescription,
  OptionDescription
} from "../args/CommandDescription.ts"
import type { CommandArgument, CommandOption } from "../args/CommandOption.ts"
import type { CommandSpec } from "./CommandSpec.ts"

export const describeOption = (
  { choices, completes, descriptor, group, isCommon }: CommandOption
): ReadonlyArray<OptionDescription> =>
  describeOptions(descriptor).map((description) => ({ ...description, choices, completes, group, isCommon }))

const describeArgument = (
  { choices, completes, descriptor, replacedBy }: CommandArgument
): ReadonlyArray<ArgumentDescription> =>
  describeArguments(descriptor).map((description) => ({ ...description, choices, completes, replacedBy }))

export const describeCommand = (spec: CommandSpec, fields: ReadonlyArray<string>): CommandDescription => ({
  ...Struct.omit(spec, "run", "endsAtTimeout"),
  arguments: spec.arguments.flatMap(describeArgument),
  options: spec.options.flatMap(describeOption),
  fields
})
