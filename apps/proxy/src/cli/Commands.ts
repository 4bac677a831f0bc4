/** The commands that print something and end. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Tokens from "../auth/Tokens.ts"
import type { ConfigSources } from "../config/EnvironmentVariables.ts"
import * as Example from "../config/Example.ts"
import * as Load from "../config/Load.ts"
import * as Print from "../config/Print.ts"
import * as Values from "../config/ValueSchemas.ts"
import * as ExitError from "../runtime/ExitError.ts"
import * as Stores from "../runtime/Stores.ts"
import type { Command } from "./CommandLine.ts"

/** Runs a command other than `serve`. */
export const run = (
  command: Exclude<Command, { readonly _tag: "Serve" }>,
  options: ConfigSources
): Effect.Effect<void, ExitError.ExitError, FileSystem.FileSystem> => {
  switch (command._tag) {
    case "NewToken":
      return newToken(command.client)
    case "CheckConfig":
      return check(options, command)
    case "PrintConfig":
      return Effect.flatMap(load(options), (loaded) => Console.log(Print.printConfig(loaded).trimEnd()))
    case "ExampleConfig":
      return Console.log(Example.renderExample().trimEnd())
  }
}

const load = (options: ConfigSources) => Effect.mapError(Load.load(options), ExitError.fromInvalidConfig)

/** `connect`: also tries Redis. */
const check = (
  options: ConfigSources,
  { connect }: { readonly connect: boolean }
): Effect.Effect<void, ExitError.ExitError, FileSystem.FileSystem> =>
  load(options).pipe(
    Effect.tap(({ warnings }) => Effect.forEach(warnings, (warning) => Console.error(`warning: ${warning}`))),
    Effect.tap((loaded) =>
      connect
        ? Effect.mapError(Stores.check(loaded.config), (failed) => ExitError.redisUnusable(loaded, failed))
        : Effect.void
    ),
    Effect.flatMap(({ config, files }) =>
      Console.log(
        `${files[0] ?? "the configuration"} is valid${
          connect ? config.redis === undefined ? "; redis is not configured" : ", and Redis can be used" : ""
        }`
      )
    )
  )

/** The configuration accepts no other names. */
const isName: (text: string) => boolean = Schema.is(Values.Name)

/** Prints a new token. The configuration contains only its hash. */
const newToken = (name: string) =>
  Effect.flatMap(
    isName(name)
      ? Tokens.generate
      : ExitError.usageError(
        `token: expected ${Values.nameDescription}, got ${JSON.stringify(name.slice(0, 80))}`
      ),
    (token) =>
      Console.log(`Token for ${name} (shown only once):

  ${token}

Add its hash to the configuration. For a client:

clients:
  - name: ${JSON.stringify(name)}
    tokens:
      - ${Tokens.hash(token)}

For an operator, who uses the admin listener:

admin:
  tokens:
    - ${Tokens.hash(token)} ${name.toLowerCase()}

Send the token in the X-API-Key header or as Authorization: Bearer.`)
  )
