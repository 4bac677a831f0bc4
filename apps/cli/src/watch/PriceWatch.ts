/** `quarry token price --watch`: the changes of a price. */
import type { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import { tokenPrice as operation } from "@blockquarry/core/operations/tokenPrice"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { integerValue } from "../args/ArgumentValues.ts"
import { decodeArguments } from "../args/OperationParameters.ts"
import { sparkline } from "../chart/Sparkline.ts"
import { ApiClients, layerFromSettings } from "../connection/ApiClients.ts"
import type { HttpTransport } from "../connection/HttpTransport.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { recordFields } from "../formats/RecordFields.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { outputSettings } from "../list/OutputOptions.ts"
import type { TableList } from "../list/TextSink.ts"
import { numberColumn, textColumn } from "../render/Columns.ts"
import { formatClock } from "../render/Time.ts"
import { characterSet } from "../terminal/CharacterSet.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import { truncateEnd } from "../text/Width.ts"
import { pollUntilComplete } from "./PollLoop.ts"
import { intervalOf, maxItemsOption } from "./WatchOptions.ts"
import { makeWatchOutput } from "./WatchOutput.ts"

/** A price at the time of its change. */
interface PriceChange {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly price: TokenPrice
  /** In percent, since the first price of the watch. */
  readonly change: number
}

const sparklineWidth = 30

const priceText = ({ usdPrice, usdPriceFormatted }: TokenPrice): string =>
  usdPriceFormatted ?? String(usdPrice)

const changeText = (change: number): string => `${change < 0 ? "" : "+"}${change.toFixed(2)} %`

const isSamePrice = (one: TokenPrice, other: TokenPrice): boolean =>
  priceText(one) === priceText(other) && one.nativePrice?.value === other.nativePrice?.value

const columns = [
  textColumn<PriceChange>("time (UTC)", ({ time }) => formatClock(time)),
  textColumn<PriceChange>("token", ({ price }) => price.tokenSymbol),
  numberColumn<PriceChange>("USD", ({ price }) => priceText(price)),
  numberColumn<PriceChange>("change", ({ change }) => changeText(change))
]

const encodePrice = Schema.encodeSync(operation.output)

/** Returns the record of a change. It starts with the time. */
const toRecord = ({ price, time }: PriceChange): Readonly<Record<string, unknown>> => {
  const encoded: unknown = encodePrice(price)
  return {
    time: DateTime.formatIso(DateTime.unsafeMake(time)),
    ...(Predicate.isRecord(encoded) ? encoded : {})
  }
}

export const watchPrice = (
  invocation: CommandInvocation
): Effect.Effect<void, CommandError, HttpTransport | CommandTerminal> => {
  const { settings } = invocation
  const watch = Effect.provide(watchChanges(invocation), layerFromSettings({ ...settings, timeout: null }))
  return settings.timeout === null ? watch : Effect.asVoid(Effect.timeoutOption(watch, settings.timeout))
}

const watchChanges = (invocation: CommandInvocation) =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { encoded } = yield* decodeArguments(operation, invocation.values)
    const tokenPrice = yield* (yield* ApiClients).functionOf(operation, invocation.values)
    const list: TableList<PriceChange> = {
      fields: [{ path: ["time"], kind: "time" }, ...recordFields(operation)],
      columns,
      isDimmed: () => false
    }
    const output = yield* makeWatchOutput(list, null, invocation)
    const { fields, jq } = outputSettings(invocation.values)
    const isOneLine = invocation.settings.format === "table" && terminal.out.isTerminal &&
      terminal.err.isTerminal && jq === null && fields.length === 0
    const characters = yield* characterSet
    const limit = integerValue(invocation.values, maxItemsOption.name) ?? Infinity
    let first: TokenPrice | null = null
    let last: PriceChange | null = null
    let changes = 0
    let prices: ReadonlyArray<number> = []

    const addPrice = (price: TokenPrice, time: number) =>
      Effect.gen(function*() {
        prices = [...prices, price.usdPrice].slice(-sparklineWidth)
        if (last !== null && isSamePrice(last.price, price)) return
        first ??= price
        const change = first.usdPrice === 0 ? 0 : (price.usdPrice / first.usdPrice - 1) * 100
        const current = { time, price, change }
        last = current
        changes++
        if (isOneLine) return
        yield* output.page({ items: [current], records: () => [toRecord(current)] })
      })
    const line = (): string =>
      last === null ? "no price yet" : sanitize([
        last.price.tokenSymbol ?? last.price.tokenAddress ?? "",
        `${priceText(last.price)} USD`,
        changeText(last.change),
        sparkline(prices, characters),
        `changed ${formatClock(last.time)} UTC`
      ].join("  "))
    const describe = (since: number): string => `${line()}, watching since ${formatClock(since)}`
    const poll = Effect.gen(function*() {
      yield* addPrice(yield* tokenPrice(encoded), yield* Clock.currentTimeMillis)
      return changes >= limit
    })
    yield* Effect.zipRight(
      pollUntilComplete(poll, intervalOf(invocation), isOneLine ? describe : undefined),
      output.end
    ).pipe(Effect.ensuring(Effect.suspend(() =>
      // The last line stays on the terminal
      isOneLine && last !== null
        ? Effect.ignore(terminal.print(`${truncateEnd(line(), terminal.out.columns ?? 80)}\n`))
        : Effect.void
    )))
  })
