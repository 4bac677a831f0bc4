/** Draws numbers as a line of bars, one character per number. */
import type { CharacterSet } from "../terminal/CharacterSet.ts"

const levels: { readonly [C in CharacterSet]: string } = {
  unicode: "▁▂▃▄▅▆▇█",
  ascii: "_.-~=*#@"
}

/**
 * Returns the last `width` values as bars between their minimum and their maximum. Equal values are drawn at half height,
 * and a value that is not finite is a space.
 */
export const sparkline = (
  values: ReadonlyArray<number>,
  width: number,
  characters: CharacterSet = "unicode"
): string => {
  const shown = width < 1 ? [] : values.slice(-Math.floor(width))
  const finite = shown.filter(Number.isFinite)
  const min = Math.min(...finite)
  const max = Math.max(...finite)
  const bars = levels[characters]
  return shown.map((value) => {
    if (!Number.isFinite(value)) return " "
    // Divided first: the difference of two finite numbers may not be finite
    const position = min === max ? 0.5 : (value / 2 - min / 2) / (max / 2 - min / 2)
    return bars[Math.round(position * (bars.length - 1))]
  }).join("")
}
