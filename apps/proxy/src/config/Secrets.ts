/** Reads what references stand for. Nothing said here repeats any of it. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Files from "./Files.ts"
import type { SecretReference } from "./ValueSchemas.ts"

export interface LoadedSecret {
  readonly value: Redacted.Redacted
  readonly warning: string | undefined
  /** Of the file that it is in; undefined where it is in a variable. */
  readonly digest: string | undefined
}

/** A secret cannot be had. */
export class SecretUnavailableError extends Data.TaggedError("SecretUnavailableError")<{
  readonly reason: string
  readonly digest: string | undefined
}> {}

/** No key is longer. */
const maxBytes = 4096

/** Others on this machine may read it. */
const worldReadable = 0o004

export type EnvironmentValues = Readonly<Record<string, string | undefined>>

export const readSecret = (
  { env, file }: SecretReference,
  environment: EnvironmentValues
): Effect.Effect<LoadedSecret, SecretUnavailableError, FileSystem.FileSystem> =>
  file === undefined ? readVariable(env ?? "", environment) : readSecretFile(file)

const readVariable = (
  name: string,
  environment: EnvironmentValues
): Effect.Effect<LoadedSecret, SecretUnavailableError> => {
  const missing = (reason: string) => new SecretUnavailableError({ reason, digest: undefined })
  const text = environment[name]?.trim() ?? ""
  if (text === "") {
    return missing(`the variable ${name} is ${environment[name] === undefined ? "not set" : "empty"}`)
  }
  return isVisibleAscii(text)
    ? Effect.succeed({ value: Redacted.make(text), warning: undefined, digest: undefined })
    : missing(expectedVisibleAscii(`the variable ${name}`))
}

const readSecretFile = (
  file: string
): Effect.Effect<LoadedSecret, SecretUnavailableError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const { bytes, digest, mode } = yield* Effect.mapError(
      Files.readFile(file, maxBytes),
      ({ digest, reason }) =>
        new SecretUnavailableError({ reason: `the file ${file} cannot be used: ${reason}`, digest })
    )
    const missing = (reason: string) => new SecretUnavailableError({ reason, digest })
    // A character for each byte: what is no visible ASCII stays so.
    const text = Buffer.from(bytes).toString("latin1").replace(/\r?\n$/, "")
    if (text === "") return yield* missing(`the file ${file} cannot be used: it is empty`)
    if (!isVisibleAscii(text)) return yield* missing(expectedVisibleAscii(`the file ${file}`))
    return {
      value: Redacted.make(text),
      warning: (mode & worldReadable) === 0
        ? undefined
        : `others on this machine may read ${file}; take that from them with chmod o-r`,
      digest
    }
  })

const isVisibleAscii = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

const expectedVisibleAscii = (where: string): string =>
  `expected one line of visible ASCII characters without spaces in ${where}`
