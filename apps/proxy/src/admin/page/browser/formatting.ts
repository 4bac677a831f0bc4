/** Formats numbers and times for people. */

const wholeFormat = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })
const compactFormat = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 })
const threeDigitsFormat = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 })
const tenthsFormat = new Intl.NumberFormat("en", { maximumFractionDigits: 1 })
const timeFormat = new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23" })
const dateTimeFormat = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "medium",
  hourCycle: "h23"
})

/** Formats a number with at least three significant digits: `3.14`, `4,004`, `1.23M`. */
export const number = (value: number): string =>
  Math.abs(value) < 100
    ? threeDigitsFormat.format(value)
    : Math.abs(value) < 100_000
    ? wholeFormat.format(value)
    : compactFormat.format(value)

/** Formats a number in the unit that fits. Each unit is a thousand of the previous one. */
const inUnits = (value: number, units: ReadonlyArray<string>): string => {
  const power = value < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3))
  return `${threeDigitsFormat.format(value / 1000 ** power)} ${units[power]}`
}

/** Formats a number of bytes: `36 MB`. */
export const bytes = (value: number): string => inUnits(value, ["B", "kB", "MB", "GB", "TB"])

/** Formats milliseconds: `250 µs`, `12.3 ms`, `2.5 s`. */
export const millis = (value: number): string => inUnits(value * 1000, ["µs", "ms", "s"])

/** Formats a fraction of one: `63.1 %`. */
export const percent = (fraction: number): string => `${tenthsFormat.format(fraction * 100)} %`

/** Formats a duration in its two largest units: `2 min 5 s`. */
export const duration = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1000))
  const [days, hours, minutes] = [
    Math.floor(seconds / 86400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60
  ]
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

export const time = (at: number): string => timeFormat.format(at)

export const dateTime = (at: number): string => dateTimeFormat.format(at)

/** Formats how long ago a time was: `20 s ago`. */
export const ago = (at: number, now: number): string => now - at < 2000 ? "now" : `${duration(now - at)} ago`
