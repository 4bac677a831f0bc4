/** The commands about the configuration: `config check`, `config print`, `config example`. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Example from "../config/Example.ts"
import * as Load from "../config/Load.ts"
import * as Print from "../config/Print.ts"
import * as ExitError from "../runtime/ExitError.ts"
import * as Stores from "../runtime/Stores.ts"

/** `connect`: also tries Redis. */
export const check = (
  options: Load.LoadOptions,
  { connect }: { readonly connect: boolean }
): Effect.Effect<void, ExitError.ExitError, FileSystem.FileSystem> =>
  Load.load(options).pipe(
    Effect.tapBoth({ onFailure: printWarnings, onSuccess: printWarnings }),
    Effect.mapError(ExitError.fromInvalidConfig),
    Effect.tap((loaded) =>
      connect
        ? Effect.mapError(Stores.check(loaded.config), (failed) => ExitError.redisUnusable(loaded, failed))
        : Effect.void
    ),
    Effect.flatMap(({ config, files }) =>
      Console.log(
        `${files[0] ?? "the configuration"} is valid${
          connect ? config.redis === null ? "; redis is not configured" : ", and Redis can be used" : ""
        }`
      )
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
