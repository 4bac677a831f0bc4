/** `--body`: the JSON body of a request, as text, in a file or from stdin. */
import * as Effect from "effect/Effect"
import { buffer } from "node:stream/consumers"
import { stdinArgument } from "../args/ArgumentValues.ts"
import { textOption } from "../args/CommandOption.ts"
import { UsageError } from "../errors/CommandError.ts"
import { systemFailure } from "../errors/SystemError.ts"
import { bytesOf, inputName } from "./InputText.ts"

export const bodyOption = textOption(
  "body",
  "json",
  "Body of the request: JSON, @file, or - for stdin"
)

export const readBody = (source: string): Effect.Effect<unknown, UsageError> =>
  Effect.gen(function*() {
    const text = source === stdinArgument
      ? yield* readText(null)
      : source.startsWith("@")
      ? yield* readText(source.slice(1))
      : source
    return yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () =>
        new UsageError({
          reason: `--${bodyOption.name}: expected JSON, got ${JSON.stringify(text.slice(0, 80))}`,
          hint: "for example --body '{\"addresses\":[\"0x…\"]}', --body @body.json or --body -"
        })
    })
  })

const readText = (file: string | null): Effect.Effect<string, UsageError> =>
  Effect.flatMap(bytesOf({ file }), (bytes) =>
    Effect.tryPromise({
      try: async () => new TextDecoder().decode(await buffer(bytes)),
      catch: (error) =>
        new UsageError(
          systemFailure(`--${bodyOption.name}: cannot read ${inputName({ file })}`, error, "read")
        )
    }))
