/** Durations, sizes and rates as text. */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as ValueFormats from "../../src/config/ValueFormats.ts"

it.prop(
  "parses what it formats",
  { millis: FastCheck.integer({ min: 0, max: 2 ** 31 }), bytes: FastCheck.maxSafeNat() },
  ({ bytes, millis }) => {
    expect(ValueFormats.parseMillis(ValueFormats.formatMillis(millis))).toEqual(Option.some(millis))
    expect(ValueFormats.parseSize(ValueFormats.formatSize(bytes))).toEqual(Option.some(bytes))
  }
)

it.prop(
  "parses the rates that it formats",
  [
    FastCheck.integer({ min: 1, max: 999_999_999 }),
    FastCheck.integer({ min: 1, max: 999_999 }),
    FastCheck.constantFrom("ms", "s", "m", "h", "d"),
    FastCheck.constantFrom(1, 10, 1_000_000)
  ],
  ([limit, count, unit, divisor]) => {
    const read = Option.getOrThrow(ValueFormats.parseRate(`${(limit / divisor).toFixed(6)}/${count}${unit}`))
    const again = Option.getOrThrow(ValueFormats.parseRate(ValueFormats.formatRate(read)))
    expect([again.limit, Duration.toMillis(again.window)]).toEqual([
      read.limit,
      Duration.toMillis(read.window)
    ])
  }
)
