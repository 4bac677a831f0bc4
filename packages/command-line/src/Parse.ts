/** Parses words in the order that `@effect/cli` takes: options, and then arguments or commands. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as CommandDirective from "@effect/cli/CommandDirective"
import type { ValidationError } from "@effect/cli/ValidationError"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Terminal from "@effect/platform/Terminal"
import type { NoSuchElementException } from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const config = CliConfig.make({
  isCaseSensitive: true,
  // No option is unknown here, so that distances to known ones are of no use
  autoCorrectLimit: Number.POSITIVE_INFINITY
})

/** What the parser would ask for options that are files or prompts. There are none. */
const unused = Layer.mergeAll(FileSystem.layerNoop({}), Path.layer, Layer.mock(Terminal.Terminal, {}))

/** Fails if a word is left over. The first word is the name of the command. */
export const parse = <A>(
  descriptor: CommandDescriptor.Command<A>,
  words: ReadonlyArray<string>
): Effect.Effect<A, ValidationError | NoSuchElementException> =>
  CommandDescriptor.parse(descriptor, words, config).pipe(
    Effect.filterOrFail(CommandDirective.isUserDefined),
    Effect.filterOrFail(({ leftover }) => leftover.length === 0),
    Effect.map(({ value }) => value),
    Effect.provide(unused)
  )
