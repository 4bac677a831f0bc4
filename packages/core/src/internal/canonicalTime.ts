/** Fast parsing of the timestamp format that nearly all responses use: `2024-01-02T03:04:05.000Z`. */

/** Matches existing dates only. February 29 does not match, because it depends on the year. */
const canonicalPattern =
  /^\d\d\d\d-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d\d\dZ$/

const zero = 0x30

const twoDigits = (text: string, at: number): number =>
  text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * zero

/** Days from March 1 of the year 0 to 1970. In years that begin in March, the leap day is the last day. */
const daysBeforeEpoch = 719_468

const daysSinceEpoch = (year: number, month: number, day: number): number => {
  const fromMarch = month > 2 ? month - 3 : month + 9
  const years = month > 2 ? year : year - 1
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  return years * 365 + leapDays + Math.floor((153 * fromMarch + 2) / 5) + day - 1 - daysBeforeEpoch
}

/** Returns milliseconds since 1970, or undefined for other formats. */
export const parseCanonicalTime = (text: string): number | undefined => {
  if (!canonicalPattern.test(text)) return undefined
  const date = daysSinceEpoch(
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5),
    twoDigits(text, 8)
  )
  const minutes = (date * 24 + twoDigits(text, 11)) * 60 + twoDigits(text, 14)
  return (minutes * 60 + twoDigits(text, 17)) * 1000 + twoDigits(text, 20) * 10 + text.charCodeAt(22) - zero
}
