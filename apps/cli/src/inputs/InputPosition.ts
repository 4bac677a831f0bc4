/** Positions in the records of many inputs. As cursors they continue a command or an export. */
import * as Either from "effect/Either"
import { UsageError } from "../errors/CommandError.ts"

export interface InputPosition {
  /** The number of inputs before the current one. */
  readonly index: number
  /** The number of inputs before the current one that failed. */
  readonly failed: number
  /** The checksum of the lines that `--failed` has written of them; null without that file. */
  readonly failedSum: number | null
  /** The number of records of the current input before the position. */
  readonly records: number
  /** The cursor in the list of the current input; null at its beginning. */
  readonly cursor: string | null
}

export const startPosition: InputPosition = { index: 0, failed: 0, failedSum: null, records: 0, cursor: null }

export const formatPosition = ({ cursor, failed, failedSum, index, records }: InputPosition): string =>
  `${index}:${failed}${failedSum === null ? "" : `-${failedSum}`}:${records}:${cursor ?? ""}`

export const parsePosition = (text: string): Either.Either<InputPosition, UsageError> => {
  const [, index, failed, failedSum, records, cursor] =
    /^(\d{1,12}):(\d{1,12})(?:-(\d{1,12}))?:(\d{1,12}):(.*)$/s.exec(text) ?? []
  return index === undefined || cursor === undefined
    ? Either.left(
      new UsageError({
        reason: "--cursor: expected a position in many inputs, such as 12:0:100:…",
        hint: "use the cursor that the interrupted command printed"
      })
    )
    : Either.right({
      index: Number(index),
      failed: Number(failed),
      failedSum: failedSum === undefined ? null : Number(failedSum),
      records: Number(records),
      cursor: cursor === "" ? null : cursor
    })
}
