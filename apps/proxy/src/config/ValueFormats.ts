/** Durations, sizes and rates as text, and back. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

type Units = ReadonlyArray<readonly [name: string, size: number]>

const times: Units = [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1000], ["ms", 1]]
const binary: Units = [["GiB", 1024 ** 3], ["MiB", 1024 ** 2], ["KiB", 1024]]
const decimal: Units = [["GB", 1e9], ["MB", 1e6], ["KB", 1000], ["kB", 1000], ["B", 1]]
const sizes: Units = [...binary, ...decimal]

const parse = (units: Units, [, count, name]: ReadonlyArray<string>): Option.Option<number> =>
  Option.fromNullable(units.find((unit) => unit[0] === name)).pipe(
    Option.map(([, size]) => Number(count) * size),
    Option.filter(Number.isSafeInteger)
  )

/** Parses `500ms`, `5s`, `2m`, `1h` or `1d` to milliseconds. */
export const parseMillis = (text: string): Option.Option<number> =>
  parse(times, /^(\d{1,10})(ms|s|m|h|d)$/.exec(text) ?? [])

/** Formats milliseconds in the largest unit that gives an integer. */
export const formatMillis = (millis: number): string => {
  const [unit, size] = times.find(([, size]) => millis > 0 && millis % size === 0) ?? ["s", 1000]
  return `${millis / size}${unit}`
}

/** Parses `64MiB`, `16KiB`, `1MB` or a number to bytes. */
export const parseSize = (written: string | number): Option.Option<number> =>
  parse(
    sizes,
    typeof written === "number" ? ["", `${written}`, "B"] : /^(\d{1,16}) ?(\w{1,3})$/.exec(written) ?? []
  )

/** Formats bytes in the first unit that gives an integer: `64MiB`, `10MB` or `1234B`. */
export const formatSize = (bytes: number): string => {
  const [unit, size] = sizes.find(([, size]) => bytes % size === 0) ?? ["B", 1]
  return `${bytes / size}${unit}`
}

/** Parses `100/s`, `25/10s` or `none`. */
export const parseRate = (text: string): Option.Option<RateLimit.RateLimit> =>
  Option.getRight(RateLimit.parse(text))

export const formatRate = ({ limit, window }: Pick<RateLimit.RateLimit, "limit" | "window">): string =>
  limit === Infinity
    ? "none"
    : `${limit}/${formatMillis(Duration.toMillis(window)).replace(/^1(?=\D)/, "")}`
