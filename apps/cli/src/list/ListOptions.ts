/** Options of every list command, and its cursors. */
import { type ArgumentValues, integerValue, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { type CommandOption, integerOption, maxRecords, switchOption } from "../args/CommandOption.ts"
import { isExport } from "../args/GlobalOptions.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"

export const paginationOptions: ReadonlyArray<CommandOption> = [
  switchOption("all", "Read all pages and print records as they arrive"),
  integerOption("max-items", [1, maxRecords], "Stop after this many records")
]

export const skipInvalidOption = switchOption(
  "skip-invalid",
  "Leave out records that cannot be read, and name them; with --to, keep them in FILE.invalid.ndjson",
  { conflictsWith: ["largest"] }
)

/** Returns whether the command reads more than one page. */
export const readsSeveralPages = ({ values }: CommandInvocation): boolean =>
  isEnabled(values, "all") || integerValue(values, "max-items") !== null || isExport(values)

/**
 * A position in a list: a number of records after a cursor of the service, or after the beginning. As a cursor of the
 * command line it is that of the service, or `skip:<records>:<cursor>`, which is never sent.
 */
export interface ListCursor {
  readonly page: string | undefined
  readonly skip: number
}

export const formatListCursor = ({ page = "", skip }: ListCursor): string =>
  skip === 0 ? page : `skip:${skip}:${page}`

export const parseListCursor = (text: string | undefined): ListCursor => {
  const [, skip, page = text] = /^skip:(\d{1,9}):(.*)$/s.exec(text ?? "") ?? []
  return { page: page === "" ? undefined : page, skip: Number(skip ?? 0) }
}

/** All list operations accept this page size. */
const commonMaxPageSize = 100

/** Returns a page size that fetches no records in vain if their number is limited; null to use that of the values. */
export const pageSize = (values: ArgumentValues): number | null => {
  const { skip } = parseListCursor(singleValue(values, "cursor"))
  const limit = (integerValue(values, "max-items") ?? Infinity) + skip
  return limit <= commonMaxPageSize && !values.has("limit") ? limit : null
}

export const withoutCursor = (values: ArgumentValues): ArgumentValues =>
  new Map([...values].filter(([name]) => name !== "cursor"))

/** Returns the values of the first request of a list, with the cursor of the service. */
export const requestValues = (values: ArgumentValues): ArgumentValues => {
  const { page } = parseListCursor(singleValue(values, "cursor"))
  const limit = pageSize(values)
  return new Map([
    ...withoutCursor(values),
    ...page === undefined ? [] : [["cursor", [page]] as const],
    ...limit === null ? [] : [["limit", [String(limit)]] as const]
  ])
}
