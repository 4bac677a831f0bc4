/** Takes and releases locks as its parent says. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { lockFile } from "../../src/files/FileLock.ts"

let scope: Scope.CloseableScope | null = null

const handle = async (file: unknown): Promise<string> => {
  if (scope !== null) await Effect.runPromise(Scope.close(scope, Exit.void))
  scope = null
  if (typeof file !== "string") return "released"
  const opened = Effect.runSync(Scope.make())
  const exit = await Effect.runPromiseExit(Scope.extend(lockFile(file), opened))
  if (Exit.isFailure(exit)) return "refused"
  scope = opened
  return "held"
}

process.on("message", (file) => void handle(file).then((result) => process.send?.(result)))
