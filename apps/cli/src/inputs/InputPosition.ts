/** Positions in the records of many inputs. As cursors they continue a command or an export. */
import * as Effect from "effect/Effect"
import { UsageError } from "../errors/CommandError.ts"

export interface InputPosition {
  /** The number of inputs before the current one. */
  readonly index: number
  /** The number of inputs before the current one that failed. */
  readonly failed: number
  /** The number of records of the current input before the position. */
  readonly records: number
  /** The cursor in the list of the current input; undefined at its beginning. */
  readonly cursor?: string | undefined
}

export const formatPosition = ({ cursor = "", failed, index, records }: InputPosition): string =>
  `${index}:${failed}:${records}:${cursor}`

/** Returns the beginning for no cursor. */
export const parsePosition = (text = "0:0:0:"): Effect.Effect<InputPosition, UsageError> => {
  const [, index, failed, records, cursor] = /^(\d{1,12}):(\d{1,12}):(\d{1,12}):(.*)$/s.exec(text) ?? []
  return index === undefined
    ? new UsageError({
      reason: "--cursor: expected a position in many inputs, such as 12:0:100:…",
      hint: "use the cursor that the interrupted command printed"
    })
    : Effect.succeed({
      index: Number(index),
      failed: Number(failed),
      records: Number(records),
      cursor: cursor === "" ? undefined : cursor
    })
}
