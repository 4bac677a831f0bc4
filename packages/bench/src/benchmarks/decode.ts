/** Text as typed values: a page of transfers. */
import { parse } from "@blockquarry/core/LosslessJson"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Benchmark } from "../Benchmark.ts"
import { calling } from "../Contestant.ts"
import { type Amounts, pageSize, recordsOf, size, transfers } from "../Documents.ts"
import type { Race } from "../Race.ts"

const interpret = Schema.decodeUnknownSync(walletTransfers.output)

const lossless = (text: string) => Either.getOrThrow(parse(text))

const race = (amounts: Amounts): Race => {
  const text = transfers(amounts, "next")
  return {
    title: `decode: a page of ${pageSize} transfers, ${size(text)}, amounts as ${amounts}`,
    unit: "page",
    records: pageSize,
    contestants: [
      calling("JSON.parse", () => recordsOf(JSON.parse(text))),
      calling("LosslessJson.parse", () => recordsOf(lossless(text))),
      calling("LosslessJson.parse + Effect Schema", () => interpret(lossless(text)).result.length),
      calling(
        "LosslessJson.parse + operation.decode",
        () => Either.getOrThrow(walletTransfers.decode(lossless(text))).result.length
      )
    ]
  }
}

export const decode: Benchmark = {
  name: "decode",
  races: Effect.sync(() => [race("strings"), race("integers")])
}
