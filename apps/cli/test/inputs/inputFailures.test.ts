/** Which failures are collected, and the file of `--failed` after interruptions. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { UsageError } from "../../src/errors/CommandError.ts"
import { makeInputFailures } from "../../src/inputs/InputFailures.ts"
import { startPosition } from "../../src/inputs/InputPosition.ts"
import { CommandTerminal } from "../../src/terminal/Terminal.ts"
import { temporaryFolder } from "../support/exports.ts"

const stream = { isTerminal: false, hasColors: false, columns: null }
const terminal = {
  out: stream,
  err: stream,
  print: () => Effect.void,
  note: () => Effect.void,
  progress: () => Effect.void
}

interface Run {
  readonly from: number
  readonly to: number
  /** Whether the position after a success is known, by the output or a checkpoint of an export. */
  readonly isKnown: (index: number) => boolean
}

it.effect("are collected if an argument is invalid, and end the command if a setting is", () =>
  Effect.gen(function*() {
    const failures = yield* makeInputFailures({ file: null, inputName: "inputs", isJson: false, source: "" })
    // The words of the message do not matter
    const setting = new UsageError({ reason: "/home/me/.config/quarry/api-key: two lines", hint: null })
    expect(yield* Effect.flip(failures.add({ line: 1, values: ["0x1"] }, setting))).toBe(setting)
    const argument = new UsageError({ reason: "--x: is no address", hint: null, concernsInput: true })
    yield* failures.add({ line: 2, values: ["--x"] }, argument)
    expect(failures.counts()).toEqual({ failed: 1, total: 1 })
  }).pipe(Effect.scoped, Effect.provideService(CommandTerminal, terminal)))

it.effect("does not keep the lines that another command has written", () =>
  Effect.gen(function*() {
    const file = join(temporaryFolder(), "failed")
    appendFileSync(file, "0x1\n0x2\n")
    const failures = yield* makeInputFailures({ file, inputName: "inputs", isJson: false, source: "" })
    yield* failures.continueAt({ ...startPosition, index: 3, failed: 1, failedSum: 123 })
    expect(readFileSync(file, "utf8")).toBe("# an input that failed before this file was written\n")
  }).pipe(Effect.scoped, Effect.provideService(CommandTerminal, terminal)))

it.effect.prop(
  "contains each failure once, wherever the runs before were killed",
  {
    // Equal inputs follow each other
    inputs: FastCheck.array(FastCheck.constantFrom("0x1", "0x2", "", "#3"), { minLength: 1, maxLength: 6 }),
    chains: FastCheck.subarray(["eth", "polygon", "base"]),
    failing: FastCheck.array(FastCheck.boolean(), { minLength: 18, maxLength: 18 }),
    kills: FastCheck.array(
      FastCheck.tuple(FastCheck.nat(18), FastCheck.nat(2 ** 18 - 1), FastCheck.nat(40)),
      {
        maxLength: 4
      }
    )
  },
  ({ chains, failing, inputs, kills }) =>
    Effect.gen(function*() {
      const lines = inputs.flatMap((value, index) =>
        (chains.length === 0 ? [undefined] : chains).map((chain) => ({
          ...(chain === undefined ? {} : { chain }),
          line: index + 1,
          values: [value]
        }))
      )
      const folder = temporaryFolder()
      const run = (file: string, { from, isKnown, to }: Run, position = startPosition) =>
        Effect.gen(function*() {
          const failures = yield* makeInputFailures({ file, inputName: "inputs", isJson: false, source: "" })
          yield* failures.continueAt(position)
          let known = position
          for (const [offset, line] of lines.slice(from, to).entries()) {
            const index = from + offset
            if (failing[index] === true) {
              yield* failures.add(
                line,
                new UsageError({ reason: "invalid", hint: null, concernsInput: true })
              )
              continue
            }
            yield* failures.addSuccess(true)
            if (isKnown(index)) known = { ...startPosition, index: index + 1, ...failures.failed() }
          }
          return known
        }).pipe(Effect.scoped, Effect.provideService(CommandTerminal, terminal))
      const toEnd = { to: lines.length, isKnown: () => false }
      const [undisturbed, disturbed] = [join(folder, "undisturbed"), join(folder, "disturbed")]
      yield* run(undisturbed, { from: 0, ...toEnd })
      let position = startPosition
      for (const [to, known, torn] of kills) {
        position = yield* run(
          disturbed,
          { from: position.index, to, isKnown: (index) => (known >> index) % 2 === 1 },
          position
        )
        // A kill within a write
        appendFileSync(disturbed, readFileSync(undisturbed).subarray(0, torn))
      }
      yield* run(disturbed, { from: position.index, ...toEnd }, position)
      expect(readFileSync(disturbed, "utf8")).toBe(readFileSync(undisturbed, "utf8"))
      const failed = inputs.filter((_, input) =>
        lines.some(({ line }, index) => line === input + 1 && failing[index] === true)
      )
      expect(readFileSync(disturbed, "utf8").split("\n").filter((line) => /^[^#]/.test(line)))
        .toEqual(failed.filter((value) => /^[^#]/.test(value)))
    })
)
