/** Errors that end the program, with their message on standard error and their exit status. */
import * as Data from "effect/Data"
import { formatDiagnostic, type InvalidConfigError } from "../config/Diagnostic.ts"
import { proxyVariables } from "../config/EnvironmentVariables.ts"
import type { LoadedConfig } from "../config/Load.ts"
import type { ListenError } from "../server/Server.ts"
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

export const cannotListen = ({ host, port, reason }: ListenError): ExitError => {
  const hint = reason === "EADDRINUSE"
    ? "address already in use; choose another port (0 selects a free one)"
    : reason === "EACCES"
    ? "permission denied; choose a port above 1023"
    : reason === "EADDRNOTAVAIL" || reason === "ENOTFOUND" || reason === "EAI_AGAIN"
    ? `no such address on this machine (${reason}); choose another host`
    : reason
  return new ExitError({
    message:
      `quarry-proxy: cannot listen on ${host}:${port}: ${hint}. Set --host and --port (${proxyVariables.host}, ` +
      `${proxyVariables.port}), or --admin (${proxyVariables.admin}) for the admin listener.`,
    exitCode: 1
  })
}

/** Reported like the other errors of the configuration. */
export const redisUnusable = (
  { sourceOf }: Pick<LoadedConfig, "sourceOf">,
  { reason }: RedisUnusableError
): ExitError => {
  const path = ["redis", "url"]
  const source = sourceOf(path)
  return invalidConfig(
    [formatDiagnostic({ source, path, message: reason })],
    source._tag === "File" ? source.file : undefined
  )
}
