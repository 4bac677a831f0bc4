/** Both worlds: where code may be made from text, and where it may not. */
import { vi } from "@effect/vitest"

const forbidden = vi.fn(function() {
  throw new EvalError("Code generation from strings disallowed for this context")
})

/** Runs something as where a content security policy forbids `eval` and `new Function`. */
const withoutCodeGeneration = <A>(run: () => A): A => {
  vi.stubGlobal("Function", forbidden)
  try {
    return run()
  } finally {
    vi.unstubAllGlobals()
  }
}

export const codeGenerationModes: ReadonlyArray<readonly [string, <A>(run: () => A) => A]> = [
  ["where code may be generated", (run) => run()],
  ["where code may not be generated", withoutCodeGeneration]
]
