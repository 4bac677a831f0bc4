/** Errors that end the program, with their message on standard error and their exit status. */
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import type { ListenError } from "@blockquarry/server/HttpServer"
import type { ConfigError } from "effect/ConfigError"
import * as Data from "effect/Data"
import { formatDiagnostic, type InvalidConfigError } from "../config/Diagnostic.ts"
import { proxyVariables } from "../config/EnvironmentVariables.ts"
import type { LoadedConfig } from "../config/Load.ts"
import type { RedisUnusableError } from "./Stores.ts"

export class ExitError
  extends Data.TaggedError("ExitError")<{ readonly message: string; readonly exitCode: 1 | 2 }>
{}

export const usageError = (message: string): ExitError =>
  new ExitError({ message: `quarry-proxy: ${message}\nTry --help.`, exitCode: 2 })

export const invalidConfig = (messages: ReadonlyArray<string>, source = "the configuration"): ExitError =>
  new ExitError({
    message: [
      ...messages,
      `quarry-proxy: ${messages.length} ${messages.length === 1 ? "error" : "errors"} in ${source}`
    ].join("\n"),
    exitCode: 2
  })

export const fromInvalidConfig = ({ diagnostics, file }: InvalidConfigError): ExitError =>
  invalidConfig(
    diagnostics.map(formatDiagnostic),
    diagnostics.every(({ source }) => source._tag === "File") ? file : undefined
  )

/** An HTTP proxy of the environment is invalid. */
export const invalidEnvironment = (error: ConfigError): ExitError =>
  invalidConfig([String(error)], "the environment")

export const cannotListen = ({ reason }: ListenError): ExitError =>
  new ExitError({
    message: `quarry-proxy: cannot listen: ${reason}. Set --host and --port (${proxyVariables.host}, ` +
      `${proxyVariables.port}; 0 selects a free one), or --admin (${proxyVariables.admin}) for the admin listener.`,
    exitCode: 1
  })

/** Reported like the other errors of the configuration. */
const unusable = (
  { sourceOf }: Pick<LoadedConfig, "sourceOf">,
  path: ReadonlyArray<string>,
  reason: string
): ExitError => {
  const source = sourceOf(path)
  return invalidConfig(
    [formatDiagnostic({ source, path, message: reason })],
    source._tag === "File" ? source.file : undefined
  )
}

export const redisUnusable = (
  loaded: Pick<LoadedConfig, "sourceOf">,
  { reason }: RedisUnusableError
): ExitError => unusable(loaded, ["redis", "url"], reason)

export const usageFileUnusable = (
  loaded: Pick<LoadedConfig, "sourceOf">,
  { fix = "", reason }: StoreError
): ExitError => unusable(loaded, ["usage", "file"], `${reason}: ${fix}`)
