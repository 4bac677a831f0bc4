/** Reads the secrets that the configuration refers to. Messages never contain any part of them. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as NodePath from "node:path"
import { ConfigDocument, keys } from "./Config.ts"
import type { ConfigKey } from "./ConfigKey.ts"
import { type ConfigPath, isMapping } from "./ConfigPath.ts"
import type { VariableValues } from "./EnvironmentVariables.ts"
import * as Files from "./Files.ts"
import { secretCheckOf, SecretReference } from "./ValueSchemas.ts"

interface LoadedSecret {
  readonly path: ConfigPath
  readonly error: string | undefined
  readonly warning: string | undefined
  /** The file that was read, or could not be read, and its digest. */
  readonly file: readonly [file: string, digest: string] | undefined
}

const isReference = Schema.is(SecretReference, { onExcessProperty: "error" })

const readableByOthers = 0o004

/** Replaces the references in a document, before it is decoded. Paths of files are relative to `directory`. */
export const readAll = (document: unknown, directory: string, env: VariableValues) => {
  const secrets: Array<LoadedSecret> = []
  const resolve = (
    place: Pick<ConfigKey, "ast" | "keys" | "sensitive">,
    value: unknown,
    path: ConfigPath
  ): Effect.Effect<unknown, never, FileSystem.FileSystem> => {
    const check = secretCheckOf(place.ast)
    if (Option.isSome(check) && isReference(value)) {
      return Effect.map(read(value, directory, env), ({ file, mode, text, where }) => {
        const error = Either.match(text, {
          onLeft: (problem) => where + problem,
          onRight: (text) => text === "" ? `${where} is empty` : check.value(text, where)
        })
        const isExposed = place.sensitive === true && (mode & readableByOthers) !== 0
        const warning = isExposed
          ? `${where} is readable by other users; run chmod o-r ${file?.[0]}`
          : undefined
        secrets.push({ path, error, warning, file })
        return Redacted.make(Either.getOrElse(text, () => ""))
      })
    }
    if (Array.isArray(value)) {
      return Effect.forEach(value, (element, index) => resolve(place, element, [...path, index]))
    }
    if (!isMapping(value)) return Effect.succeed(value)
    const present = place.keys.filter(({ name }) => Object.hasOwn(value, name))
    return Effect.reduce(present, value, (section, key) => {
      const resolved = resolve(key, value[key.name], [...path, key.name])
      return Effect.map(resolved, (inner) => ({ ...section, [key.name]: inner }))
    })
  }
  const root = resolve({ ast: ConfigDocument.ast, keys }, document, [])
  return Effect.map(root, (resolved) => ({ resolved, secrets }))
}

const read = ({ env: name = "", file: written }: SecretReference, directory: string, env: VariableValues) =>
  Effect.gen(function*() {
    if (written === undefined) {
      const text = Either.fromNullable(env[name]?.trim(), () => " is not set")
      return { where: `environment variable ${name}`, text, mode: 0, file: undefined }
    }
    const path = NodePath.resolve(directory, written)
    const { contents, digest, mode } = yield* Files.readFile(path)
    const text = Either.mapBoth(contents, {
      onLeft: (reason) => `: ${reason}`,
      // One character per byte: bytes that are not ASCII remain invalid.
      onRight: (bytes) => Buffer.from(bytes).toString("latin1").replace(/\r?\n$/, "")
    })
    return { where: `secret file ${path}`, text, mode, file: [path, digest] as const }
  })
