/** Reads what references stand for. Nothing said here repeats any of it. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Files from "./Files.ts"
import type { Reference } from "./Values.ts"

export interface Secret {
  readonly value: Redacted.Redacted
  readonly warning: string | undefined
  /** Of the file that it is in; undefined where it is in a variable. */
  readonly fingerprint: string | undefined
}

/** A secret cannot be had. */
export class SecretMissing extends Data.TaggedError("SecretMissing")<{
  readonly problem: string
  readonly fingerprint: string | undefined
}> {}

/** No key is longer. */
const maxBytes = 4096

/** Others on this machine may read it. */
const othersRead = 0o004

export type Environment = Readonly<Record<string, string | undefined>>

export const read = (
  { env, file }: Reference,
  environment: Environment
): Effect.Effect<Secret, SecretMissing, FileSystem.FileSystem> =>
  file === undefined ? fromVariable(env ?? "", environment) : fromFile(file)

const fromVariable = (name: string, environment: Environment): Effect.Effect<Secret, SecretMissing> => {
  const missing = (problem: string) => new SecretMissing({ problem, fingerprint: undefined })
  const text = environment[name]?.trim() ?? ""
  if (text === "") {
    return missing(`the variable ${name} is ${environment[name] === undefined ? "not set" : "empty"}`)
  }
  return isVisible(text)
    ? Effect.succeed({ value: Redacted.make(text), warning: undefined, fingerprint: undefined })
    : missing(invisible(`the variable ${name}`))
}

const fromFile = (file: string): Effect.Effect<Secret, SecretMissing, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const { bytes, fingerprint, mode } = yield* Effect.mapError(
      Files.read(file, maxBytes),
      ({ fingerprint, problem }) =>
        new SecretMissing({ problem: `the file ${file} cannot be used: ${problem}`, fingerprint })
    )
    const missing = (problem: string) => new SecretMissing({ problem, fingerprint })
    // A character for each byte: what is no visible ASCII stays so.
    const text = Buffer.from(bytes).toString("latin1").replace(/\r?\n$/, "")
    if (text === "") return yield* missing(`the file ${file} cannot be used: it is empty`)
    if (!isVisible(text)) return yield* missing(invisible(`the file ${file}`))
    return {
      value: Redacted.make(text),
      warning: (mode & othersRead) === 0
        ? undefined
        : `others on this machine may read ${file}; take that from them with chmod o-r`,
      fingerprint
    }
  })

const isVisible = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

const invisible = (where: string): string =>
  `expected one line of visible ASCII characters without spaces in ${where}`
