/** Reads a secret from the terminal without showing it, or from a pipe. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as readline from "node:readline"
import { Writable } from "node:stream"

/** A secret is shorter. */
const maxLength = 16 * 1024

export interface SecretInputService {
  /** Whether the user can be asked. */
  readonly isTerminal: () => boolean
  /** Stops showing what is typed, prompts, and reads a line. Interrupts on Ctrl-C. */
  readonly readHidden: <R>(
    prompt: Effect.Effect<void, never, R>
  ) => Effect.Effect<Redacted.Redacted, never, R>
  /** Reads the input up to its end, or the first 16 KiB of it. */
  readonly readPipe: Effect.Effect<Redacted.Redacted>
}

/** The standard input of the process by default. */
export class SecretInput extends Context.Reference<SecretInput>()("@blockquarry/cli/SecretInput", {
  defaultValue: (): SecretInputService => standardInput
}) {}

const standardInput: SecretInputService = {
  isTerminal: () => process.stdin.isTTY,
  readHidden: (prompt) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const output = new Writable({ write: (_chunk, _encoding, done) => done() })
        return readline.createInterface({ input: process.stdin, output, terminal: true })
      }),
      (lines) =>
        Effect.zipRight(
          prompt,
          Effect.async<Redacted.Redacted>((resume) => {
            lines.on("SIGINT", () => resume(Effect.interrupt))
            lines.on("close", () => resume(Effect.succeed(Redacted.make(""))))
            lines.question("", (line) => resume(Effect.succeed(Redacted.make(line.trim()))))
          })
        ),
      (lines) => Effect.sync(() => lines.close())
    ),
  readPipe: Effect.promise(async () => {
    let text = ""
    try {
      for await (const chunk of process.stdin.setEncoding("utf8")) {
        text += String(chunk)
        if (text.length > maxLength) break
      }
    } catch {
      // What was read decides
    }
    return Redacted.make(text.trim())
  })
}
