/** Formats times: relative to now, or in UTC. */
import * as DateTime from "effect/DateTime"
import type { View } from "./View.ts"

/** Formats a time in UTC, in seconds. */
const formatUtc = (time: DateTime.Utc): string =>
  DateTime.formatIso(time).replace("T", " ").replace(/\.\d+Z$/, "Z")

const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]] as const

/** Older times are shown as dates, which say more than "14 mo ago". */
const maxRelativeDays = 30

/** Formats a time as its distance from `now`, for example `3 h ago`, or as a date if it is far away. */
export const formatRelative = (time: DateTime.Utc, now: number): string => {
  const seconds = Math.trunc((now - DateTime.toEpochMillis(time)) / 1000)
  const distance = Math.abs(seconds)
  if (distance > maxRelativeDays * 86_400) return DateTime.formatIsoDateUtc(time)
  const [unit, size] = units.find(([, size]) => distance >= size) ?? ["s", 1]
  const text = `${Math.floor(distance / size)} ${unit}`
  return distance === 0 ? "now" : seconds > 0 ? `${text} ago` : `in ${text}`
}

/** Formats a time as the view shows times. */
export const formatTime = (time: DateTime.Utc, { now }: Pick<View, "now">): string =>
  now === null ? formatUtc(time) : formatRelative(time, now)

/** Formats a time in UTC, with its age on a terminal. `fraction` are digits below the seconds. */
export const formatWithAge = (time: DateTime.Utc, { now }: Pick<View, "now">, fraction = ""): string => {
  const utc = formatUtc(time).replace("Z", `${fraction}Z`)
  const age = now === null ? "" : formatRelative(time, now)
  return age.includes(" ") ? `${utc} (${age})` : utc
}
