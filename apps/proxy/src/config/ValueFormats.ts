/** Times, sizes and limits as people write them, and back. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

const durationUnits = [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1000], ["ms", 1]] as const

const binaryUnits = [["GiB", 1024 ** 3], ["MiB", 1024 ** 2], ["KiB", 1024]] as const

const sizeUnits: ReadonlyMap<string, number> = new Map<string, number>([
  ...binaryUnits,
  ["GB", 1e9],
  ["MB", 1e6],
  ["KB", 1000],
  ["kB", 1000],
  ["B", 1]
])

/** `5s`, `500ms`, `2m`, `1h`, `1d`: in milliseconds. */
export const parseMillis = (text: string): Option.Option<number> => {
  const [, count = "", unit = ""] = /^(\d{1,10})(ms|s|m|h|d)$/.exec(text) ?? []
  return Option.map(
    Option.fromNullable(durationUnits.find(([name]) => name === unit)),
    ([, millis]) => Number(count) * millis
  )
}

/** In the largest unit that leaves a whole number. */
export const formatMillis = (millis: number): string => {
  const [unit, size] = millis === 0
    ? ["s", 1] as const
    : durationUnits.find(([, size]) => millis % size === 0) ?? ["ms", 1] as const
  return `${millis / size}${unit}`
}

/** `64MiB`, `16KiB`, `1MB`, or a number: bytes. */
export const parseSize = (raw: string | number): Option.Option<number> => {
  if (typeof raw === "number") return Number.isSafeInteger(raw) ? Option.some(raw) : Option.none()
  const [, count = "", unit = ""] = /^(\d{1,12}) ?([A-Za-z]{1,3})$/.exec(raw) ?? []
  return Option.fromNullable(sizeUnits.get(unit)).pipe(
    Option.map((size) => Number(count) * size),
    Option.filter((bytes) => Number.isSafeInteger(bytes))
  )
}

export const formatSize = (bytes: number): string | number => {
  const unit = bytes === 0 ? undefined : binaryUnits.find(([, size]) => bytes % size === 0)
  return unit === undefined ? bytes : `${bytes / unit[1]}${unit[0]}`
}

/** `100/s`, `25/10s`, `none`. */
export const parseRateLimit = (text: string): Option.Option<RateLimit.RateLimit> =>
  Option.getRight(RateLimit.parse(text))

export const formatRateLimit = ({ limit, window }: Pick<RateLimit.RateLimit, "limit" | "window">): string => {
  if (limit === Number.POSITIVE_INFINITY) return "none"
  return `${limit}/${formatMillis(Duration.toMillis(window)).replace(/^1(?=\D)/, "")}`
}
