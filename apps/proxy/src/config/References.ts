/**
 * Reads the files and environment variables that values of the configuration name, while these are decoded. Messages never contain
 * any part of their contents.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as ParseResult from "effect/ParseResult"
import type * as AST from "effect/SchemaAST"
import * as NodePath from "node:path"
import type { VariableValues } from "./EnvironmentVariables.ts"
import * as Files from "./Files.ts"

/** The name of a file or of an environment variable. */
interface Reference {
  readonly file?: string
  readonly env?: string
}

interface Text {
  readonly text: string
  /** The file or the variable, for messages. */
  readonly where: string
}

interface ReferencesService {
  /** Returns the absolute path of a file, which may be relative to the configuration. A URL stays as it is. */
  readonly resolve: (file: string) => string
  /** Fails with the reason. `isPrivate`: other users must not read the file. */
  readonly read: (reference: Reference, isPrivate: boolean) => Effect.Effect<Text, string>
}

/** By default, for a configuration without values, reads nothing. */
export class References extends Context.Reference<References>()("quarry-proxy/References", {
  defaultValue: (): ReferencesService => ({ resolve: identity, read: () => Effect.fail("") })
}) {}

/** Reads and parses what a reference names. */
export const read = <A>(
  ast: AST.Transformation,
  reference: Reference,
  parse: (text: string) => Either.Either<A, string>,
  isPrivate = false
): Effect.Effect<A, ParseResult.Type> =>
  References.pipe(
    Effect.flatMap(({ read }) => read(reference, isPrivate)),
    Effect.flatMap(({ text, where }) =>
      text === ""
        ? Effect.fail(`${where} is empty`)
        : Effect.mapError(parse(text), (problem) => `${where}: ${problem}`)
    ),
    Effect.mapError((problem) => new ParseResult.Type(ast, reference, problem))
  )

const readableByOthers = 0o004

/** Collects the digests of the files that are read, whether they can be read or not, and warnings. */
export const make = (directory: string, env: VariableValues) =>
  Effect.map(FileSystem.FileSystem, (fileSystem) => {
    const digests = new Map<string, string>()
    const warnings: Array<string> = []
    const resolve = (file: string) => file.startsWith("http") ? file : NodePath.resolve(directory, file)
    const readVariable = (name = ""): Effect.Effect<Text, string> => {
      const [where, text] = [`environment variable ${name}`, env[name]?.trim()]
      return text === undefined ? Effect.fail(`${where} is not set`) : Effect.succeed({ text, where })
    }
    const readFile = (file: string, isPrivate = false): Effect.Effect<Uint8Array, string> =>
      Files.readFile(file).pipe(
        Effect.provideService(FileSystem.FileSystem, fileSystem),
        Effect.flatMap(({ contents, digest, mode }) => {
          digests.set(file, digest)
          if (isPrivate && (mode & readableByOthers) !== 0) {
            warnings.push(`secret file ${file} is readable by other users; run chmod o-r ${file}`)
          }
          return contents
        })
      )
    const readText = (where: string, isPrivate: boolean): Effect.Effect<Text, string> =>
      Effect.mapBoth(readFile(where, isPrivate), {
        onFailure: (reason) => `${where}: ${reason}`,
        onSuccess: (bytes) => ({ text: new TextDecoder().decode(bytes).replace(/\r?\n$/, ""), where })
      })
    const references: ReferencesService = {
      resolve,
      read: ({ env, file }, isPrivate) =>
        file === undefined ? readVariable(env) : readText(resolve(file), isPrivate)
    }
    return { digests, readFile, references, warnings }
  })
