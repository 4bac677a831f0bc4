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
  /** Reads a line that is not shown. Interrupts on Ctrl-C. */
  readonly readHidden: Effect.Effect<Redacted.Redacted>
  /** Reads the input up to its end, or the first 16 KiB of it. */
  readonly readPipe: Effect.Effect<Redacted.Redacted>
}

/** The standard input of the process by default. */
export class SecretInput extends Context.Reference<SecretInput>()("@blockquarry/cli/SecretInput", {
  defaultValue: (): SecretInputService => standardInput
}) {}

const standardInput: SecretInputService = {
  isTerminal: () => process.stdin.isTTY,
  readHidden: Effect.async<Redacted.Redacted>((resume) => {
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = readline.createInterface({ input: process.stdin, output: silent, terminal: true })
    lines.on("SIGINT", () => resume(Effect.interrupt))
    lines.on("close", () => resume(Effect.succeed(Redacted.make(""))))
    lines.question("", (line) => resume(Effect.succeed(Redacted.make(line.trim()))))
    return Effect.sync(() => lines.close())
  }).pipe(Effect.tap(() => Effect.sync(() => process.stdin.pause()))),
  readPipe: Effect.async<Redacted.Redacted>((resume) => {
    let text = ""
    const done = () => resume(Effect.succeed(Redacted.make(text.trim())))
    process.stdin.setEncoding("utf8")
    process.stdin.on("data", (chunk: string) => {
      text += chunk
      if (text.length <= maxLength) return
      process.stdin.destroy()
      done()
    })
    process.stdin.on("end", done)
    process.stdin.on("error", done)
  })
}
