/** Dates as programs print them, of `fixtures/dateTexts.txt`. */
import { readFileSync } from "node:fs"

/** A printed text with the instant that it names, in milliseconds since 1970. */
export interface PrintedDate {
  readonly zone: string
  readonly programs: ReadonlyArray<string>
  readonly text: string
  readonly instant: number
}

const blocks = readFileSync(new URL("../fixtures/dateTexts.txt", import.meta.url), "utf8")
  .split(/\n(?=\S+\t\S+\n)/).slice(1)

export const printedDates: ReadonlyArray<PrintedDate> = blocks.flatMap((block) => {
  const [[zone = "", at = ""] = [], ...lines] = block.trimEnd().split("\n").map((line) => line.split("\t"))
  return lines.map(([programs = "", other = "", text = ""]) => ({
    zone,
    programs: programs.split(","),
    text,
    instant: Date.parse(other === "" ? at : other)
  }))
})
