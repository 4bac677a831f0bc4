/** Durations as text, as in `1 min 30 s`. */
import * as Duration from "effect/Duration"

/** Down to milliseconds. */
export const formatDuration = (duration: Duration.Duration): string => {
  if (!Duration.isFinite(duration)) return "infinity"
  const { days, hours, millis, minutes, seconds } = Duration.parts(duration)
  const parts = [[days, "d"], [hours, "h"], [minutes, "min"], [seconds, "s"], [millis, "ms"]] as const
  return parts.flatMap(([value, unit]) => value === 0 ? [] : `${value} ${unit}`).join(" ") || "0 s"
}

/** Rounded up to whole seconds, as in the `Retry-After` header: a retry must not come too early. */
export const formatRetryDelay = (delay: Duration.Duration): string =>
  formatDuration(Duration.isFinite(delay) ? Duration.seconds(Math.ceil(Duration.toSeconds(delay))) : delay)
