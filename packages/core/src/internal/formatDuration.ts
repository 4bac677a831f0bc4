/** Durations as text, as in `1 min 30 s`. */
import * as Duration from "effect/Duration"

/** Down to milliseconds. */
export const formatDuration = (duration: Duration.Duration): string => {
  if (!Duration.isFinite(duration)) return "infinity"
  const { days, hours, millis, minutes, seconds } = Duration.parts(duration)
  const parts = [[days, "d"], [hours, "h"], [minutes, "min"], [seconds, "s"], [millis, "ms"]] as const
  return parts.flatMap(([value, unit]) => value === 0 ? [] : `${value} ${unit}`).join(" ") || "0 s"
}
