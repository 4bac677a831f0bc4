/** `--body`: the JSON body of a request, as text, in a file or from stdin. */
import * as Effect from "effect/Effect"
import { createReadStream } from "node:fs"
import { stdinArgument } from "../args/ArgumentValues.ts"
import { textOption } from "../args/CommandOption.ts"
import { UsageError } from "../errors/CommandError.ts"
import { systemFailure } from "../errors/SystemError.ts"
import { inputName, StandardInput } from "./InputText.ts"

export const bodyOption = textOption(
  "body",
  "json",
  "Body of the request: JSON, @file, or - for stdin"
)

/** Bounds the memory for a body. */
const maxBytes = 16 * 2 ** 20

/** Reads and parses a body. */
export const readBody = (source: string): Effect.Effect<unknown, UsageError> =>
  Effect.gen(function*() {
    const isStdin = source === stdinArgument
    const text = isStdin || source.startsWith("@")
      ? yield* readText(isStdin ? null : source.slice(1))
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
  Effect.gen(function*() {
    const standardInput = yield* StandardInput
    const chunks: Array<Uint8Array> = []
    let size = 0
    yield* Effect.tryPromise({
      try: async () => {
        for await (const chunk of file === null ? standardInput() : createReadStream(file)) {
          size += chunk.length
          if (size > maxBytes) return
          chunks.push(chunk)
        }
      },
      catch: (error) =>
        new UsageError(
          systemFailure(`--${bodyOption.name}: cannot read ${inputName({ file })}`, error, "read")
        )
    })
    if (size > maxBytes) {
      return yield* new UsageError({
        reason: `--${bodyOption.name}: ${inputName({ file })} is larger than 16 MiB`,
        hint: null
      })
    }
    return new TextDecoder().decode(Buffer.concat(chunks))
  })
