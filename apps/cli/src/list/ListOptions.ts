/** Options of every list command. */
import { type ArgumentValues, integerValue, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import type { OptionSpec } from "../args/CommandDescription.ts"
import { positiveInteger } from "../args/ValueCheck.ts"
import type { CommandInvocation } from "../CommandSpec.ts"
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

/** All list operations accept this page size. */
const commonMaxPageSize = 100

/** Limits the page size to `maxItems`, so that no records are fetched in vain. */
export const withPageSize = (values: ArgumentValues, maxItems: number | null): ArgumentValues =>
  maxItems === null || maxItems > commonMaxPageSize || singleValue(values, "limit") !== undefined
    ? values
    : new Map([...values, ["limit", [String(maxItems)]]])
