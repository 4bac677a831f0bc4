/** `--dry-run`: the first request of a list, and what an export would read. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as Settings from "@blockquarry/http/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import { decodeArguments } from "../args/OperationParameters.ts"
import { ApiClients } from "../connection/ApiClients.ts"
import { baseUrlVariableOf } from "../connection/Connection.ts"
import { requestUrl } from "../connection/RequestUrl.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { requireUnlocked } from "../files/FileLock.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { requestValues } from "../list/ListOptions.ts"
import { countOf, formatCount } from "../render/Count.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import type { ExportPlan } from "./Export.ts"
import { lockedAsConflict, planStart } from "./ExportStart.ts"
import { positionOf, savedRecords } from "./Manifest.ts"
import { sinceBlock } from "./SinceLast.ts"

/** Prints the first request without sending it. The API key is the name of its variable. */
export const printRequest = (
  operation: AnyOperation,
  { settings, values }: CommandInvocation
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { readBaseUrl } = yield* ApiClients
    const { input } = yield* decodeArguments(operation, requestValues(values))
    const request = encodeRequest(operation, input)
    const baseUrl = yield* readBaseUrl(operation.api, baseUrlVariableOf(operation, values))
    const url = requestUrl(settings, operation.api, baseUrl, request)
    yield* terminal.print(
      `${request.method} ${url}\nx-api-key: $${Settings.apiKey}\naccept: application/json\n`
    )
  })

/** Prints the first request of an export, sends it, and prints how many pages and units all would be. */
export const dryRunExport = <Item>(
  { job, query, sourceOf, target }: ExportPlan<Item>,
  print: (values: ArgumentValues) => Effect.Effect<void, CommandError>
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { maxItems, source: { operation, recordName } } = job
    yield* lockedAsConflict(requireUnlocked(target.file))
    const start = yield* planStart(target, query, operation)
    if (start._tag === "Complete") {
      return yield* terminal.note(`${target.file} is complete; no request would be sent`)
    }
    const manifest = start._tag === "New" ? null : start.manifest
    const since = manifest?.run.since ?? null
    const position = manifest === null ? null : positionOf(manifest)
    const values = new Map(
      since === null ? job.invocation.values : sinceBlock(job.invocation.values, since)
    )
    if (position !== null) values.set("cursor", [position.cursor])
    yield* print(values)

    const { pages } = yield* sourceOf(values)
    const first = Option.getOrNull(yield* Stream.runHead(pages()))
    const pageSize = first?.items.length ?? 0
    const saved = manifest === null ? 0 : savedRecords(manifest)
    if (saved > 0) yield* terminal.note(`${countOf(saved, recordName)} saved`)
    const isComplete = first === null || first.nextCursor === null
    // The total is that of the whole list
    const total = isComplete
      ? pageSize - (position?.skip ?? 0)
      : first.total === null
      ? null
      : first.total - saved
    if (total === null) {
      return yield* terminal.note(
        `estimate: unknown, because the service does not state the number of ${recordName}; ` +
          `a page has ${formatCount(pageSize)} and costs ${operation.cost} units`
      )
    }
    const records = Math.max(0, maxItems === null ? total : Math.min(total, maxItems - saved))
    const pageCount = Math.max(1, Math.ceil(records / Math.max(1, pageSize)))
    yield* terminal.note(
      `estimate: ${countOf(records, recordName)}, ${countOf(pageCount, "pages")}, ` +
        `${formatCount(pageCount * operation.cost)} units (one page was read for it)`
    )
  })
