/** Options of every list command. */
import { type ArgumentValues, integerValue, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { type CommandOption, integerOption, maxRecords, switchOption } from "../args/CommandOption.ts"
import { isExport } from "../args/GlobalOptions.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { parseListCursor } from "./ListCursor.ts"

export const paginationOptions: ReadonlyArray<CommandOption> = [
  switchOption("all", "Read all pages and print records as they arrive"),
  integerOption("max-items", [1, maxRecords], "Stop after this many records")
]

/** Returns whether the command reads more than one page. */
export const readsSeveralPages = ({ values }: CommandInvocation): boolean =>
  isEnabled(values, "all") || integerValue(values, "max-items") !== null || isExport(values)

/** All list operations accept this page size. */
const commonMaxPageSize = 100

/**
 * Returns the values of the first request: the cursor of the service, and a page size that fetches no records in vain if
 * the number of records is limited.
 */
export const requestValues = (values: ArgumentValues): ArgumentValues => {
  const { page, skip } = parseListCursor(singleValue(values, "cursor"))
  const maxItems = integerValue(values, "max-items")
  const isSmall = maxItems !== null && maxItems + skip <= commonMaxPageSize
  return new Map([
    ...[...values].filter(([name]) => name !== "cursor"),
    ...(page === undefined ? [] : [["cursor", [page]] as const]),
    ...(!isSmall || singleValue(values, "limit") !== undefined
      ? []
      : [["limit", [String(maxItems + skip)]] as const])
  ])
}
