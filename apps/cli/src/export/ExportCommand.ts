/** Builds the export that the options of a list command describe. */
import { userAgent } from "@blockquarry/http/ApiOptions"
import * as Effect from "effect/Effect"
import { singleValue } from "../args/ArgumentValues.ts"
import { serviceOf } from "../connection/Connection.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { fileToWrite } from "../files/Files.ts"
import { makeCsv } from "../formats/Csv.ts"
import type { FileFormat } from "../formats/FileFormat.ts"
import { ndjson } from "../formats/Ndjson.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import { formatCommandLine } from "../invocation/CommandLine.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { ListJob } from "../list/ListJob.ts"
import { outputSettings } from "../list/OutputOptions.ts"
import type { ExportPlan } from "./Export.ts"
import type { ExportTarget } from "./ExportOptions.ts"
import { canonicalInput, type ExportQuery } from "./ExportQuery.ts"
import { hasBlockRange } from "./SinceLast.ts"
import { textFile } from "./TextFile.ts"

/** Options that change the bytes of a file, besides the parameters of the operation. */
const formatOptionNames = ["fields", "jq", "escape-formulas", "parquet-amounts", "largest"]

/** Builds the export of the list of a command. `sourceOf` returns the list of other values. */
export const planExport = <Item>(
  job: ListJob<Item>,
  target: ExportTarget,
  sourceOf: ExportPlan<Item>["sourceOf"]
): Effect.Effect<ExportPlan<Item>, CommandError> =>
  Effect.gen(function*() {
    const { invocation, maxItems, source, transform } = job
    const { values } = invocation
    if (target.mode === "since-last") yield* requireBlocks(job)
    if (transform?.fields === null && target.format !== "ndjson") {
      return yield* new UsageError({
        reason:
          `--jq and a ${target.format} file are mutually exclusive, because results have no common columns`,
        hint: "use a file name that ends in .ndjson, or select columns with --fields"
      })
    }
    const query: ExportQuery = {
      operation: source.operation.id,
      input: canonicalInput(source.input),
      sandbox: invocation.settings.isSandbox,
      maxItems,
      format: Object.fromEntries([
        ["name", target.format],
        ...formatOptionNames.flatMap((name) => {
          const words = values.get(name) ?? []
          return words.length === 0 ? [] : [[name, words.join(",")] as const]
        })
      ])
    }
    return {
      // Formats with columns select them from whole records
      job: target.format === "ndjson" ? job : { ...job, transform: null },
      target: { ...target, file: yield* fileToWrite(target.file) },
      // Not in the file, which is the same through a proxy
      query: { ...query, ...serviceOf(source.operation, invocation) },
      format: yield* fileFormat(target, transform?.fields ?? source.fields, query, invocation),
      sourceOf,
      resumeCommand: formatCommandLine(invocation, { overwrite: null, "since-last": null, resume: "true" })
    }
  })

const fileFormat = (
  { format, hasBinaryAmounts }: ExportTarget,
  fields: ReadonlyArray<RecordField>,
  query: ExportQuery,
  { values }: CommandInvocation
): Effect.Effect<FileFormat> =>
  Effect.gen(function*() {
    if (format === "ndjson") return textFile(ndjson)
    if (format === "csv") return textFile(makeCsv(fields, { ...outputSettings(values), isTerminal: false }))
    const { parquetFile } = yield* Effect.promise(() => import("../formats/Parquet.ts"))
    return parquetFile({
      fields,
      hasBinaryAmounts,
      createdBy: `quarry ${userAgent}`,
      metadata: { "quarry.version": userAgent, "quarry.query": JSON.stringify(query) }
    })
  })

/** Rejects lists of which an export cannot say what is new. */
const requireBlocks = <Item>(
  { invocation: { values }, maxItems, source }: ListJob<Item>
): Effect.Effect<void, UsageError> => {
  if (!hasBlockRange(source.operation)) {
    return new UsageError({
      reason: `--since-last requires a list with a range of blocks, and ${source.recordName} have none`,
      hint: "export the whole list again with --overwrite"
    })
  }
  return maxItems === null || singleValue(values, "order")?.toLowerCase() === "asc"
    ? Effect.void
    : new UsageError({
      reason: "--since-last and --max-items are mutually exclusive in a list with the newest records first",
      hint: "omit --max-items, or use --order asc where available, so that no records are left out"
    })
}
