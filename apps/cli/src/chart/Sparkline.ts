/** Draws numbers as a line of bars, one character per number. */
import type { CharacterSet } from "../terminal/CharacterSet.ts"

const levels: { readonly [C in CharacterSet]: string } = {
  unicode: "▁▂▃▄▅▆▇█",
  ascii: "_.-~=*#@"
}

/** Returns finite values as bars between their minimum and their maximum. Equal values are drawn at half height. */
export const sparkline = (values: ReadonlyArray<number>, characters: CharacterSet): string => {
  const bars = levels[characters]
  const [min, max] = [Math.min(...values), Math.max(...values)]
  return values.map((value) => {
    const position = min === max ? 0.5 : (value - min) / (max - min)
    return bars[Math.round(position * (bars.length - 1))]
  }).join("")
}
