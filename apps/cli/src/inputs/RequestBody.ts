/** `--body`: the JSON body of a request, as text, in a file or from stdin. */
import { parse } from "@blockquarry/core/LosslessJson"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { buffer } from "node:stream/consumers"
import { textOption } from "../args/CommandOption.ts"
import { UsageError } from "../errors/CommandError.ts"
import { systemFailure } from "../errors/SystemError.ts"
import { bytesOf, fileOf, inputName } from "./InputText.ts"

export const bodyOption = textOption(
  "body",
  "json",
  "Body of the request: JSON, @file, or - for stdin"
)

/** Returns the body as it is written, without spaces around it, and its value. */
export const readBody = (source: string) =>
  Effect.gen(function*() {
    const isFile = source.startsWith("@")
    const text = isFile || fileOf(source) === null ? yield* readText(fileOf(source.replace("@", ""))) : source
    return yield* Either.mapBoth(parse(text), {
      onRight: (value) => ({ text: text.trim(), value }),
      onLeft: () =>
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
