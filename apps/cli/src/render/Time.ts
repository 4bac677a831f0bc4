/** Formats times, relative to now or in UTC, and durations. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import type { View } from "./View.ts"

const formatUtc = (time: DateTime.Utc): string =>
  DateTime.formatIso(time).replace("T", " ").replace(/\.\d+Z$/, "Z")

const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]] as const

/** Older times are shown as dates, which say more than "14 mo ago". */
const maxRelativeDays = 30

/** The length of a date, and of the longest relative time: `59 min ago`. */
export const dateWidth = 10

/** Formats a time as its distance from `now`, for example `3 h ago`; null if it is far away. */
export const formatRelative = (time: DateTime.Utc, now: number): string | null => {
  const seconds = Math.trunc((now - DateTime.toEpochMillis(time)) / 1000)
  const distance = Math.abs(seconds)
  if (distance > maxRelativeDays * 86_400) return null
  const [unit, size] = units.find(([, size]) => distance >= size) ?? ["s", 1]
  const text = `${Math.floor(distance / size)} ${unit}`
  return distance === 0 ? "now" : seconds > 0 ? `${text} ago` : `in ${text}`
}

/** Formats a time as the view shows times: relative to now, or if it is far away with its date, to the minute. */
export const formatTime = (time: DateTime.Utc, { now }: Pick<View, "now">): string =>
  now === null
    ? formatUtc(time)
    : formatRelative(time, now) ?? formatUtc(time).slice(0, "2024-01-01 00:00".length)

/** Formats a time in UTC, with its age on a terminal. `fraction` are digits below the seconds. */
export const formatWithAge = (time: DateTime.Utc, { now }: Pick<View, "now">, fraction = ""): string => {
  const utc = formatUtc(time).replace("Z", `${fraction}Z`)
  const age = now === null ? null : formatRelative(time, now)
  return age === null ? utc : `${utc} (${age})`
}

/** Formats the time of day in UTC, in seconds: `12:34:56`. */
export const formatClock = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(11, 19)

/** Formats a duration with its two largest units, for example `1h 5m`. */
export const formatDuration = (milliseconds: number): string => {
  const seconds = Math.max(0, milliseconds) / 1000
  if (seconds < 10) return `${seconds.toFixed(1)}s`
  return Duration.format(Duration.seconds(Math.round(seconds))).split(" ").slice(0, 2).join(" ")
}
