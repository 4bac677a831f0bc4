/** `--dry-run`: the first request of a list, and what an export would read. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { type EncodedRequest, encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as Settings from "@blockquarry/http/gateway/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type ArgumentValues, isEnabled } from "../args/ArgumentValues.ts"
import { decodeArguments } from "../args/OperationParameters.ts"
import { ApiClients } from "../connection/ApiClients.ts"
import type { RequestedOperation } from "../connection/Connection.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { requireUnlocked } from "../files/FileLock.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { requestValues } from "../list/ListOptions.ts"
import { countOf, formatCount } from "../render/Count.ts"
import { type CommandTerminal, note, print } from "../terminal/Terminal.ts"
import { takeOverOption } from "./ExportOptions.ts"
import type { ExportPlan } from "./ExportPlan.ts"
import { planStart } from "./ExportStart.ts"
import { cursorOf, savedRecords } from "./Manifest.ts"
import { sinceBlock } from "./SinceLast.ts"

export const printFirstRequest = (
  operation: AnyOperation,
  { values }: CommandInvocation
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.flatMap(
    decodeArguments(operation, requestValues(values)),
    ({ input }) => printRequest(operation, values, encodeRequest(operation, input))
  )

/** Prints a request. The API key is the name of its variable. */
export const printRequest = (
  operation: RequestedOperation,
  values: ArgumentValues,
  request: EncodedRequest
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const { requestUrl } = yield* ApiClients
    const url = yield* requestUrl(operation, values, request)
    const body = request.body === null ? "" : `content-type: application/json\n\n${request.body}\n`
    yield* print(
      `${request.method} ${url}\nx-api-key: $${Settings.apiKey}\naccept: application/json\n${body}`
    )
  })

/** Prints the first request of an export, sends it, and prints how many pages and units all would be. */
export const dryRunExport = <Item>(
  { job: { invocation, list, maxItems }, query, target }: ExportPlan<Item>
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const { operation, recordName } = list
    yield* requireUnlocked(target.file, isEnabled(invocation.values, takeOverOption.name))
    const { manifest } = yield* planStart(target, query, operation)
    if (manifest.status === "complete") {
      return yield* note(`${target.file} is complete; no request would be sent`)
    }
    const { since } = manifest.run
    const cursor = cursorOf(manifest)
    const values = new Map(since === null ? invocation.values : sinceBlock(invocation.values, since))
    if (cursor !== null) values.set("cursor", [cursor])
    yield* printFirstRequest(operation, { ...invocation, values })

    const { pages } = yield* yield* list.sourceOf({ ...invocation, values })
    const first = Option.getOrNull(yield* Stream.runHead(pages()))
    const pageSize = first?.rows.length ?? 0
    const saved = savedRecords(manifest)
    if (saved > 0) yield* note(`${countOf(saved, recordName)} saved`)
    // The total is that of the whole list
    const total = first === null || first.end.cursor === null
      ? pageSize
      : first.total === null
      ? null
      : first.total - saved
    if (total === null) {
      return yield* note(
        `estimate: unknown, because the service does not state the number of ${recordName}; ` +
          `a page has ${formatCount(pageSize)} and has the price of ${operation.price} units`
      )
    }
    const records = Math.max(0, maxItems === null ? total : Math.min(total, maxItems - saved))
    const pageCount = Math.max(1, Math.ceil(records / Math.max(1, pageSize)))
    yield* note(
      `estimate: ${countOf(records, recordName)}, ${countOf(pageCount, "pages")}, ` +
        `${formatCount(pageCount * operation.price)} units (one page was read for it)`
    )
  })
