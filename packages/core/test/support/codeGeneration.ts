/** Environments with and without code generation from strings. */
import { vi } from "@effect/vitest"

const forbidden = vi.fn(function() {
  throw new EvalError("Code generation from strings disallowed for this context")
})

/** Runs a function as under a content security policy that forbids `eval` and `new Function`. */
const withoutCodeGeneration = <A>(run: () => A): A => {
  vi.stubGlobal("Function", forbidden)
  try {
    return run()
  } finally {
    vi.unstubAllGlobals()
  }
}

export const codeGenerationModes: ReadonlyArray<readonly [string, <A>(run: () => A) => A]> = [
  ["with code generation", (run) => run()],
  ["without code generation", withoutCodeGeneration]
]
