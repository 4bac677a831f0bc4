/** The commands about the configuration: `config check`, `config print`, `config example`. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Example from "./Config/Example.ts"
import * as Load from "./Config/Load.ts"
import * as Print from "./Config/Print.ts"
import * as Problem from "./Config/Problem.ts"
import * as Quit from "./Quit.ts"

/** The configuration that is in force, or the end of the program. */
export const load = (
  options: Load.Options
): Effect.Effect<Load.Loaded, Quit.Quit, FileSystem.FileSystem> =>
  Effect.mapError(Load.load(options), ({ problems }) => Quit.misconfigured(problems.map(Problem.text)))

export const check = (options: Load.Options): Effect.Effect<void, Quit.Quit, FileSystem.FileSystem> =>
  Effect.flatMap(load(options), ({ files, warnings }) =>
    Effect.zipRight(
      Effect.forEach(warnings, (warning) => Console.error(`warning: ${warning}`)),
      Console.log(files.length === 0 ? "the environment is a good configuration" : `${files[0]} is good`)
    ))

export const print = (options: Load.Options): Effect.Effect<void, Quit.Quit, FileSystem.FileSystem> =>
  Effect.flatMap(load(options), (loaded) => Console.log(Print.print(loaded).trimEnd()))

export const example: Effect.Effect<void> = Effect.suspend(() => Console.log(Example.example().trimEnd()))
