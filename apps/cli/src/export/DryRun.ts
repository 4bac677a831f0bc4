/** `--dry-run`: the first request of a list, and what an export would read. */
import type { ListOperation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import { encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as Settings from "@blockquarry/http/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CommandInvocation, integerValue } from "../args/CommandSpec.ts"
import { decodeArguments } from "../args/OperationParameters.ts"
import { type CommandError, ExportConflictError } from "../CommandError.ts"
import { baseUrlVariableOf } from "../Connection.ts"
import { requestUrl } from "../diagnostics/Curl.ts"
import type { HttpTransport } from "../HttpTransport.ts"
import { withPageSize } from "../list/OperationSource.ts"
import type { RecordSource } from "../list/RecordSource.ts"
import { CommandTerminal } from "../Terminal.ts"
import type { ExportTarget } from "./ExportOptions.ts"
import { formatCount, formatPages } from "./ExportProgress.ts"
import { fileToWrite, sizeOf } from "./Files.ts"

/** Prints the first request without sending it. The API key is the name of its variable. */
export const printRequest = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded,
  Item
>(
  operation: ListOperation<I, InputEncoded, Output, OutputEncoded, Item>,
  { settings, values }: CommandInvocation
): Effect.Effect<void, CommandError, HttpTransport | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const sized = withPageSize(values, integerValue(values, "max-items"))
    const { input } = yield* decodeArguments(operation, sized)
    const request = encodeRequest(operation, input)
    const url = yield* requestUrl(settings, operation.api, baseUrlVariableOf(operation, values), request)
    yield* terminal.print(
      `${request.method} ${url}\nx-api-key: $${Settings.apiKey}\naccept: application/json\n`
    )
  })

/** Sends the first request of an export, and prints how many pages and units all would be. */
export const printEstimate = (
  { operation, pages, recordName }: RecordSource<unknown>,
  maxItems: number | null,
  { file, mode }: ExportTarget
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const existing = yield* Effect.flatMap(fileToWrite(file), sizeOf)
    if (mode === "new" && existing !== null) {
      return yield* new ExportConflictError({
        reason: `${file} exists`,
        hint: "choose another name, or use --overwrite to replace it"
      })
    }
    const first = Option.getOrNull(yield* Stream.runHead(pages()))
    const pageSize = first?.items.length ?? 0
    const isComplete = first === null || first.nextCursor === null
    const total = isComplete ? pageSize : first.total
    if (total === null) {
      return yield* terminal.note(
        `estimate: unknown, because the service does not state the number of ${recordName}; ` +
          `a page has ${formatCount(pageSize)} and costs ${operation.cost} units`
      )
    }
    const records = maxItems === null ? total : Math.min(total, maxItems)
    const pageCount = Math.max(1, Math.ceil(records / Math.max(1, pageSize)))
    yield* terminal.note(
      `estimate: ${formatCount(records)} ${recordName}, ${formatPages(pageCount)}, ` +
        `${formatCount(pageCount * operation.cost)} units (one page was read for it)`
    )
  })
