/** The program ends before its time: what is said on standard error, and the exit code. */
import * as Data from "effect/Data"
import * as Variables from "./Config/Variables.ts"
import type { ListenFailed } from "./Server.ts"
import type { StoresFailed } from "./Stores.ts"

export class Quit extends Data.TaggedError("Quit")<{ readonly message: string; readonly exitCode: 1 | 2 }> {}

export const misused = (message: string): Quit =>
  new Quit({ message: `quarry-proxy: ${message}\nTry --help.`, exitCode: 2 })

/** Everything that is wrong with the configuration. */
export const misconfigured = (problems: ReadonlyArray<string>): Quit =>
  new Quit({
    message: [
      ...problems,
      `quarry-proxy: ${problems.length === 1 ? "a setting is" : `${problems.length} settings are`} wrong`
    ].join("\n"),
    exitCode: 2
  })

export const cannotListen = ({ host, port, reason }: ListenFailed): Quit => {
  const problem = reason === "EADDRINUSE"
    ? "it is in use; choose another one (0 takes a free one)"
    : reason === "EACCES"
    ? "this user may not; choose a port above 1023"
    : reason === "EADDRNOTAVAIL" || reason === "ENOTFOUND" || reason === "EAI_AGAIN"
    ? `this machine has no such address (${reason}); choose another host`
    : reason
  return new Quit({
    message:
      `quarry-proxy: cannot listen on port ${port} of ${host}: ${problem}, with --port and --host or ` +
      `${Variables.own.port} and ${Variables.own.host}, for the status page with --operations or ${Variables.own.operations}`,
    exitCode: 1
  })
}

export const noStores = ({ problem }: StoresFailed): Quit =>
  new Quit({ message: `quarry-proxy: the address of Redis cannot be used: ${problem}`, exitCode: 2 })
