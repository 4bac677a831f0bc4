/** The export that the options of a list command describe. */
import { userAgent } from "@blockquarry/http/ApiOptions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { singleValue } from "../args/ArgumentValues.ts"
import { serviceOf } from "../connection/Connection.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { fileToWrite } from "../files/Files.ts"
import { type FileFormat, makeCsv, ndjson, textFile } from "../formats/RecordFormat.ts"
import { formatCommandLine } from "../invocation/CommandLine.ts"
import { outputSettings } from "../list/OutputOptions.ts"
import type { ListJob } from "../list/RecordList.ts"
import type { ExportTarget } from "./ExportOptions.ts"
import { canonicalInput, type ExportQuery } from "./ExportQuery.ts"

export interface ExportPlan<in out Item> {
  readonly job: ListJob<Item>
  readonly target: ExportTarget
  readonly query: ExportQuery
  readonly format: FileFormat
  readonly partLimits: PartLimits["Type"]
  readonly resumeCommand: string
}

/** A part ends when it has so many records, or bytes before compression. Records count, because `--jq` may make few rows of them. */
export class PartLimits extends Context.Reference<PartLimits>()("quarry/PartLimits", {
  defaultValue: () => ({ records: 10_000, bytes: 16 * 2 ** 20 })
}) {}

/** Options that change the bytes of a file, besides the parameters of the operation. */
const formatOptionNames = ["fields", "jq", "escape-formulas", "largest", "skip-invalid"]

/** Plans the export of a list. Fails if it cannot be the content of the file. */
export const planExport = <Item>(
  job: ListJob<Item>,
  target: ExportTarget
): Effect.Effect<ExportPlan<Item>, CommandError> =>
  Effect.gen(function*() {
    const { invocation, list, maxItems, source, transform } = job
    const { settings, values } = invocation
    if (target.mode === "since-last") yield* requireBlocks(job)
    if (transform?.fields === null && target.format !== "ndjson") {
      return yield* new UsageError({
        reason:
          `--jq and a ${target.format} file are mutually exclusive, because results have no common columns`,
        hint: "use a file name that ends in .ndjson, or select columns with --fields"
      })
    }
    const query: ExportQuery = {
      operation: list.operation.id,
      input: canonicalInput(source.input, values),
      sandbox: settings.isSandbox,
      maxItems,
      format: Object.fromEntries([
        ["name", target.format],
        ...formatOptionNames.flatMap((name) => {
          const words = values.get(name) ?? []
          return words.length === 0 ? [] : [[name, words.join(",")] as const]
        })
      ])
    }
    const fields = transform?.fields ?? list.fields
    const fileFormat = Effect.gen(function*() {
      if (target.format === "ndjson") return textFile(ndjson)
      if (target.format === "csv") {
        const { escapeFormulas } = outputSettings(values)
        return textFile(makeCsv(fields, { escapeFormulas, isTerminal: false }))
      }
      const { parquetFile } = yield* Effect.promise(() => import("../formats/Parquet.ts"))
      return parquetFile({
        fields,
        createdBy: `quarry ${userAgent}`,
        metadata: { "quarry.version": userAgent, "quarry.query": JSON.stringify(query) }
      })
    })
    return {
      // Formats with columns select them from whole records
      job: target.format === "ndjson" ? job : { ...job, transform: null },
      target: { ...target, file: yield* fileToWrite(target.file) },
      // Not in the file, which is the same through a proxy
      query: { ...query, ...serviceOf(list.operation, invocation) },
      format: yield* fileFormat,
      partLimits: yield* PartLimits,
      resumeCommand: formatCommandLine(invocation, { overwrite: null, "since-last": null, resume: "true" })
    }
  })

/** Rejects lists of which an export cannot say what is new. */
const requireBlocks = <Item>(
  { invocation: { values }, list: { operation, recordName }, maxItems }: ListJob<Item>
): Effect.Effect<void, UsageError> => {
  if (!operation.parameters.some(({ name }) => name === "from_block")) {
    return new UsageError({
      reason: `--since-last requires a list with a range of blocks, and ${recordName} have none`,
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
