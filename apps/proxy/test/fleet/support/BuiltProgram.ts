/** The program, built before the tests of a file and removed after them. */
import { afterAll, beforeAll } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as ProxyProcess from "./ProxyProcess.ts"

/** The path of the program, once the tests run. */
export const program = (): () => string => {
  const scope = Effect.runSync(Scope.make())
  const built = { at: "" }
  beforeAll(async () => {
    built.at = await Effect.runPromise(Scope.extend(ProxyProcess.build, scope))
  }, 120_000)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return () => built.at
}
