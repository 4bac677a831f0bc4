/** Figures as people read them. The page carries the source of this function: it refers to nothing outside of itself. */

export const formatting = () => {
  const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })
  const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 })
  const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 })
  const tenths = new Intl.NumberFormat("en", { maximumFractionDigits: 1 })
  const clock = new Intl.DateTimeFormat("en", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23"
  })
  const minute = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
  const day = new Intl.DateTimeFormat("en", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  })

  const number = (value: number): string =>
    Math.abs(value) < 100
      ? threeDigits.format(value)
      : Math.abs(value) < 100_000
      ? whole.format(value)
      : compact.format(value)

  /** A span of time in its two largest units. */
  const duration = (millis: number): string => {
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

  return {
    number,
    span: duration,
    whole: (value: number): string => whole.format(value),
    bytes: (value: number): string => {
      const units = ["B", "kB", "MB", "GB", "TB"]
      const power = value < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3))
      return `${threeDigits.format(value / 1000 ** power)} ${units[power]}`
    },
    percent: (fraction: number): string => `${tenths.format(fraction * 100)} %`,
    millis: (value: number): string =>
      value > 0 && value < 1
        ? `${threeDigits.format(value * 1000)} µs`
        : value < 1000
        ? `${threeDigits.format(value)} ms`
        : `${threeDigits.format(value / 1000)} s`,
    clock: (at: number): string => clock.format(at),
    minute: (at: number): string => minute.format(at),
    /** A moment of today as its time, one of another day with its date. */
    dateTime: (at: number, now: number): string =>
      new Date(at).toDateString() === new Date(now).toDateString() ? clock.format(at) : day.format(at),
    ago: (at: number, now: number): string => now - at < 2000 ? "now" : `${duration(now - at)} ago`
  }
}

export type Formatting = ReturnType<typeof formatting>
