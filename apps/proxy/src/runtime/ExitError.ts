/** The program ends before its time: what is said on standard error, and the exit code. */
import * as Data from "effect/Data"
import { formatDiagnostic, type InvalidConfigError } from "../config/Diagnostic.ts"
import * as EnvironmentVariables from "../config/EnvironmentVariables.ts"
import type { ListenError } from "../server/Server.ts"
import type { InvalidRedisUrlError } from "./Stores.ts"

export class ExitError
  extends Data.TaggedError("ExitError")<{ readonly message: string; readonly exitCode: 1 | 2 }>
{}

export const usageError = (message: string): ExitError =>
  new ExitError({ message: `quarry-proxy: ${message}\nTry --help.`, exitCode: 2 })

/** All errors of the configuration, and how many there are in which file. */
export const invalidConfig = (messages: ReadonlyArray<string>, source = "the configuration"): ExitError =>
  new ExitError({
    message: [
      ...messages,
      `quarry-proxy: ${messages.length} ${messages.length === 1 ? "error" : "errors"} in ${source}`
    ].join("\n"),
    exitCode: 2
  })

export const fromInvalidConfig = ({ diagnostics, source }: InvalidConfigError): ExitError =>
  invalidConfig(diagnostics.map(formatDiagnostic), source)

export const cannotListen = ({ host, port, reason }: ListenError): ExitError => {
  const hint = reason === "EADDRINUSE"
    ? "it is in use; choose another one (0 takes a free one)"
    : reason === "EACCES"
    ? "this user may not; choose a port above 1023"
    : reason === "EADDRNOTAVAIL" || reason === "ENOTFOUND" || reason === "EAI_AGAIN"
    ? `this machine has no such address (${reason}); choose another host`
    : reason
  return new ExitError({
    message: `quarry-proxy: cannot listen on port ${port} of ${host}: ${hint}, with --port and --host or ` +
      `${EnvironmentVariables.proxyVariables.port} and ${EnvironmentVariables.proxyVariables.host}, for the status page with --admin or ${EnvironmentVariables.proxyVariables.admin}`,
    exitCode: 1
  })
}

export const invalidRedisUrl = ({ reason }: InvalidRedisUrlError): ExitError =>
  new ExitError({ message: `quarry-proxy: the address of Redis cannot be used: ${reason}`, exitCode: 2 })
