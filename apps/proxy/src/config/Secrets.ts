/** Reads the secrets that the configuration refers to. Messages never contain any part of them. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as NodePath from "node:path"
import type { Config, ConfigDocument } from "./Config.ts"
import type { ConfigPath } from "./ConfigPath.ts"
import type { VariableValues } from "./EnvironmentVariables.ts"
import * as Files from "./Files.ts"
import { redisUrlProblem, type SecretReference } from "./ValueSchemas.ts"

export interface LoadedSecret {
  readonly path: ConfigPath
  readonly value?: Redacted.Redacted
  readonly error?: string | undefined
  readonly warning?: string | undefined
  /** The file that was read, or could not be read, and its digest. */
  readonly file?: readonly [file: string, digest: string]
}

/** Reads the secrets of a document. Those that cannot be read are empty. Paths are relative to `directory`. */
export const readAll = (
  { redis, upstream, ...others }: ConfigDocument,
  directory: string,
  env: VariableValues
) =>
  Effect.gen(function*() {
    const secrets: Array<LoadedSecret> = []
    const valueOf = (reference: SecretReference, path: ConfigPath) =>
      Effect.map(read(reference, path, directory, env), (secret) => {
        secrets.push(secret)
        return secret.value ?? Redacted.make("")
      })
    const optional = (reference: SecretReference | undefined, path: ConfigPath) =>
      reference === undefined ? Effect.succeed(undefined) : valueOf(reference, path)
    const keys = yield* Effect.forEach(upstream.keys, (key, index) =>
      Effect.map(
        valueOf(key.secret, ["upstream", "keys", index, "secret"]),
        (secret) => ({ ...key, secret })
      ))
    const url = typeof redis?.url === "object"
      ? yield* valueOf(redis.url, ["redis", "url"])
      : Redacted.make(redis?.url ?? "")
    const config: Omit<Config, "weights"> = {
      ...others,
      upstream: { ...upstream, keys },
      redis: redis && {
        ...redis,
        url,
        sentinelPassword: yield* optional(redis.sentinelPassword, ["redis", "sentinelPassword"]),
        tls: redis.tls && {
          ca: yield* optional(redis.tls.ca, ["redis", "tls", "ca"]),
          certificate: yield* optional(redis.tls.certificate, ["redis", "tls", "certificate"]),
          key: yield* optional(redis.tls.key, ["redis", "tls", "key"])
        }
      }
    }
    return { config, secrets }
  })

const readableByOthers = 0o004

const read = (
  { env: name = "", file: written }: SecretReference,
  path: ConfigPath,
  directory: string,
  env: VariableValues
): Effect.Effect<LoadedSecret, never, FileSystem.FileSystem> => {
  if (written === undefined) {
    const empty = env[name] === undefined ? "not set" : "empty"
    return Effect.succeed(check(path, env[name]?.trim() ?? "", `environment variable ${name}`, empty))
  }
  const file = NodePath.resolve(directory, written)
  const where = `secret file ${file}`
  return Effect.match(Files.readFile(file), {
    onFailure: ({ reason }): LoadedSecret => ({ path, error: `${where}: ${reason}`, file: [file, reason] }),
    onSuccess: ({ bytes, digest, mode }): LoadedSecret => {
      // One character per byte: bytes that are not ASCII remain invalid.
      const text = Buffer.from(bytes).toString("latin1").replace(/\r?\n$/, "")
      const isPrivate = (mode & readableByOthers) === 0
      const warning = isPrivate ? undefined : `${where} is readable by other users; run chmod o-r ${file}`
      return { ...check(path, text, where, "empty"), file: [file, digest], warning }
    }
  })
}

/** The search for API keys in responses cannot tell a shorter one from unrelated text. */
const minKeyLength = 16

const check = (path: ConfigPath, text: string, where: string, empty: string): LoadedSecret => {
  const error = text === ""
    ? `${where} is ${empty}`
    : path[1] === "tls"
    ? (text.startsWith("-----BEGIN ") ? undefined : `expected PEM, which starts with -----BEGIN, in ${where}`)
    : !/^[\x21-\x7e]+$/.test(text)
    ? `expected one line of visible ASCII characters without spaces in ${where}`
    : path[1] === "url"
    ? redisUrlProblem(text)
    : path[1] === "sentinelPassword"
    ? undefined
    : text.length < minKeyLength
    ? `expected an API key of at least ${minKeyLength} characters in ${where}, got ${text.length}; check that it is complete`
    : undefined
  return error === undefined ? { path, value: Redacted.make(text) } : { path, error }
}
