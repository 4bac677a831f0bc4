/** Decoding of a page of transfers to typed values. */
import { parse } from "@blockquarry/core/LosslessJson"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Benchmark, Comparison } from "../Comparison.ts"
import {
  type AmountEncoding,
  countRecords,
  distinctPages,
  formatSize,
  pageSize,
  rotate
} from "../Documents.ts"
import { syncSubject } from "../Subject.ts"

const decodeBySchema = Schema.decodeUnknownSync(walletTransfers.output)

const parseLossless = (text: string) => Either.getOrThrow(parse(text))

const compareDecode = (amounts: AmountEncoding): Comparison => {
  const pages = distinctPages(amounts, "next")
  const nextPage = rotate(pages)
  return {
    title: `decode a page, ${formatSize(pages[0] ?? "")}, amounts as ${amounts}`,
    unit: "page",
    records: pageSize,
    baseline: syncSubject("JSON.parse", () => countRecords(JSON.parse(nextPage()))),
    peers: [
      syncSubject(
        "LosslessJson.parse + Effect Schema",
        () => decodeBySchema(parseLossless(nextPage())).result.length
      )
    ],
    blockquarry: [
      syncSubject("LosslessJson.parse", () => countRecords(parseLossless(nextPage()))),
      {
        ...syncSubject(
          "LosslessJson.parse + operation.decode",
          () => Either.getOrThrow(walletTransfers.decode(parseLossless(nextPage()))).result.length
        ),
        target: { ratio: 1.7 }
      }
    ]
  }
}

export const decode: Benchmark = {
  name: "decode",
  comparisons: Effect.sync(() => [compareDecode("strings"), compareDecode("integers")])
}
