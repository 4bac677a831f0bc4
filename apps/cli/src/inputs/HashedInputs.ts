/** Inputs of an export, which continues only with the same ones. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { UsageError } from "../errors/CommandError.ts"
import { type InputLine, type InputText, readError, readInputs, StandardInput } from "./InputText.ts"

export interface HashedInputs {
  /** The SHA-256 of the text. */
  readonly sha256: string
  readonly lines: Stream.Stream<InputLine, UsageError>
}

/** Bounds the memory for stdin, which can be read only once: more than a million addresses. */
const maxStandardInput = 64 * 2 ** 20

/** Reads all inputs once before the first one is used. */
export const hashInputs = (text: InputText): Effect.Effect<HashedInputs, UsageError> =>
  Effect.gen(function*() {
    const standardInput = yield* StandardInput
    const hash = createHash("sha256")
    const chunks: Array<Uint8Array> = []
    let size = 0
    yield* Effect.tryPromise({
      try: async () => {
        for await (const chunk of text.file === null ? standardInput() : createReadStream(text.file)) {
          hash.update(chunk)
          size += chunk.length
          if (text.file !== null) continue
          if (size > maxStandardInput) return
          chunks.push(chunk)
        }
      },
      catch: (error) => readError(text, error)
    })
    if (text.file === null && size > maxStandardInput) {
      return yield* new UsageError({
        reason: "--to: stdin has more than 64 MiB of inputs",
        hint: "write them to a file, and use --from FILE"
      })
    }
    const lines = readInputs(text)
    return {
      sha256: hash.digest("hex"),
      lines: text.file === null
        ? Stream.provideService(lines, StandardInput, async function*() {
          yield* chunks
        })
        : lines
    }
  })
