/** Formats times: relative to now, or in UTC. */
import * as DateTime from "effect/DateTime"
import type { View } from "./View.ts"

/** Formats a time in UTC, in seconds. */
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
