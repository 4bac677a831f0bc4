/** What is wrong with the configuration: where, what was expected, what is there, and what may have been meant. */
import * as Data from "effect/Data"
import type { Path } from "./Path.ts"
import * as PathText from "./Path.ts"

/** Where somebody has to look. */
export type Place =
  | { readonly _tag: "File"; readonly file: string; readonly position: Position | null }
  | { readonly _tag: "Variable"; readonly name: string; readonly option: string | null }
  | { readonly _tag: "Default" }

/** Both count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Something wrong with a value of the document, wherever that came from. */
export interface Finding {
  readonly path: Path
  /** Whether the setting's name is meant, or what is written behind it. */
  readonly part: "name" | "value"
  /** Whether the last step of the path is not to be shown. */
  readonly hidden: boolean
  /** Whether everything else is right once it is gone. */
  readonly spare: boolean
  /** Whether it is the lack of what should be at the path. */
  readonly missing: boolean
  /** Never repeats what is discreet. */
  readonly problem: string
  /** What is there, as far as it may be shown. */
  readonly found: string | undefined
  /** What may have been meant. */
  readonly suggestion: string | undefined
}

export interface Problem extends Pick<Finding, "path" | "problem" | "found" | "suggestion"> {
  readonly place: Place
}

/** A finding that has only words. */
export const finding = (path: Path, problem: string): Finding => ({
  path,
  part: "value",
  hidden: false,
  spare: false,
  missing: false,
  problem,
  found: undefined,
  suggestion: undefined
})

export const at = (place: Place, { found, hidden, path, problem, suggestion }: Finding): Problem => ({
  place,
  path: hidden ? path.slice(0, -1) : path,
  problem,
  found,
  suggestion
})

/** One line: `quarry-proxy.yaml:12:5: clients[0].scope: there is no such setting; did you mean scopes?` */
export const text = ({ found, path, place, problem, suggestion }: Problem): string => {
  const where = place._tag === "Variable" ? [] : [PathText.text(path)].filter((name) => name !== "")
  const what = [
    problem,
    ...(found === undefined ? [] : [`found ${found}`]),
    ...(suggestion === undefined ? [] : [`did you mean ${suggestion}?`])
  ]
  return [...placeText(place), ...where, what.join("; ")].join(": ")
}

const placeText = (place: Place): ReadonlyArray<string> => {
  switch (place._tag) {
    case "File":
      return [
        place.position === null
          ? place.file
          : `${place.file}:${place.position.line}:${place.position.column}`
      ]
    case "Variable":
      return [place.option === null ? place.name : `${place.option} (${place.name})`]
    case "Default":
      return []
  }
}

/** More than these are not read at once. */
const most = 100

/** The configuration cannot be used. Holds everything that is wrong with it. */
export class ConfigInvalid extends Data.TaggedError("ConfigInvalid")<{
  readonly problems: ReadonlyArray<Problem>
  /** Of the files that were read, or could not be: when one of them changes, it is worth another try. */
  readonly fingerprints: ReadonlyMap<string, string>
}> {
  override get message(): string {
    const lines = this.problems.slice(0, most).map(text)
    const left = this.problems.length - lines.length
    return [...lines, ...(left > 0 ? [`and ${left} more`] : [])].join("\n")
  }
}
