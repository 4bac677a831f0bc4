/** The commands about the configuration: `config check`, `config print`, `config example`. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Example from "../config/Example.ts"
import * as Load from "../config/Load.ts"
import * as Print from "../config/Print.ts"
import * as ExitError from "../runtime/ExitError.ts"

export const check = (
  options: Load.LoadOptions
): Effect.Effect<void, ExitError.ExitError, FileSystem.FileSystem> =>
  Load.load(options).pipe(
    Effect.tapBoth({ onFailure: printWarnings, onSuccess: printWarnings }),
    Effect.mapError(ExitError.fromInvalidConfig),
    Effect.flatMap(({ files }) =>
      Console.log(files.length === 0 ? "the configuration is valid" : `${files[0]} is valid`)
    )
  )

const printWarnings = ({ warnings }: { readonly warnings: ReadonlyArray<string> }): Effect.Effect<void> =>
  Effect.forEach(warnings, (warning) => Console.error(`warning: ${warning}`), { discard: true })

export const print = (
  options: Load.LoadOptions
): Effect.Effect<void, ExitError.ExitError, FileSystem.FileSystem> =>
  Effect.flatMap(
    Effect.mapError(Load.load(options), ExitError.fromInvalidConfig),
    (loaded) => Console.log(Print.printConfig(loaded).trimEnd())
  )

export const example: Effect.Effect<void> = Effect.suspend(() =>
  Console.log(Example.renderExample().trimEnd())
)
