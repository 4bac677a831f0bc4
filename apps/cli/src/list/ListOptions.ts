/** Options of every list command. */
import { type CommandInvocation, integerValue, isEnabled, type OptionSpec } from "../args/CommandSpec.ts"
import { positiveInteger } from "../args/ValueCheck.ts"
import { isExport } from "../export/ExportOptions.ts"

export const paginationOptions: ReadonlyArray<OptionSpec> = [
  { name: "all", value: null, description: "Read all pages and print records as they arrive" },
  {
    name: "max-items",
    value: "number",
    description: "Stop after this many records",
    check: positiveInteger
  }
]

/** Returns whether the command reads more than one page. */
export const readsSeveralPages = ({ values }: CommandInvocation): boolean =>
  isEnabled(values, "all") || integerValue(values, "max-items") !== null || isExport(values)
