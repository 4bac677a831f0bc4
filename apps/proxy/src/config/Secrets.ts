/** Reads the secrets that the configuration refers to. Messages never contain any part of them. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as NodePath from "node:path"
import { ConfigDocument, keys } from "./Config.ts"
import type { ConfigKey } from "./ConfigKey.ts"
import { type ConfigPath, isMapping } from "./ConfigPath.ts"
import type { VariableValues } from "./EnvironmentVariables.ts"
import * as Files from "./Files.ts"
import { type SecretCheck, secretCheckOf, SecretReference } from "./ValueSchemas.ts"

interface LoadedSecret {
  readonly value: Redacted.Redacted
  readonly error: string | undefined
  readonly warning?: string | undefined
  /** The file that was read, or could not be read, and its digest. */
  readonly file?: readonly [file: string, digest: string]
}

const isReference = Schema.is(SecretReference, { onExcessProperty: "error" })

/** Replaces the references in a document, before it is decoded. Paths of files are relative to `directory`. */
export const readAll = (document: unknown, directory: string, env: VariableValues) => {
  const secrets: Array<LoadedSecret & { readonly path: ConfigPath }> = []
  const resolve = (
    place: Pick<ConfigKey, "ast" | "keys" | "sensitive">,
    value: unknown,
    path: ConfigPath
  ): Effect.Effect<unknown, never, FileSystem.FileSystem> => {
    const check = secretCheckOf(place.ast)
    if (Option.isSome(check) && isReference(value)) {
      return Effect.map(read(value, check.value, directory, env), (secret) => {
        secrets.push({ ...secret, path, warning: place.sensitive === true ? secret.warning : undefined })
        return secret.value
      })
    }
    if (Array.isArray(value)) {
      return Effect.forEach(value, (element, index) => resolve(place, element, [...path, index]))
    }
    if (!isMapping(value)) return Effect.succeed(value)
    const present = place.keys.filter(({ name }) => Object.hasOwn(value, name))
    return Effect.reduce(present, value, (section, key) =>
      Effect.map(
        resolve(key, value[key.name], [...path, key.name]),
        (inner) => ({ ...section, [key.name]: inner })
      ))
  }
  return Effect.map(
    resolve({ ast: ConfigDocument.ast, keys }, document, []),
    (resolved) => ({ resolved, secrets })
  )
}

const readableByOthers = 0o004

/** Reads a secret, which is empty if that fails. */
const read = (
  { env: name = "", file: written }: SecretReference,
  check: SecretCheck,
  directory: string,
  env: VariableValues
): Effect.Effect<LoadedSecret, never, FileSystem.FileSystem> => {
  const checked = (where: string, text: string, missing = " is empty") => ({
    value: Redacted.make(text),
    error: text === "" ? where + missing : check(text, where)
  })
  if (written === undefined) {
    const missing = env[name] === undefined ? " is not set" : " is empty"
    return Effect.succeed(checked(`environment variable ${name}`, env[name]?.trim() ?? "", missing))
  }
  const file = NodePath.resolve(directory, written)
  const where = `secret file ${file}`
  return Effect.match(Files.readFile(file), {
    onFailure: ({ reason }) => ({ ...checked(where, "", `: ${reason}`), file: [file, reason] }),
    onSuccess: ({ bytes, digest, mode }) => {
      // One character per byte: bytes that are not ASCII remain invalid.
      const text = Buffer.from(bytes).toString("latin1").replace(/\r?\n$/, "")
      const isPrivate = (mode & readableByOthers) === 0
      const warning = isPrivate ? undefined : `${where} is readable by other users; run chmod o-r ${file}`
      return { ...checked(where, text), file: [file, digest], warning }
    }
  })
}
