/** Runs the command that prints the API key. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { ConfigFileError } from "../errors/CommandError.ts"
import { describeSystemError } from "../errors/SystemError.ts"

/** A key is shorter. */
const maxBytes = 16 * 1024

/** A password manager may wait for the user. */
const timeoutMillis = 120_000

/** Returns the first line that a shell command prints. The command may ask on the terminal. */
export const runKeyCommand = (
  command: string,
  origin: string
): Effect.Effect<Redacted.Redacted, ConfigFileError> =>
  Effect.async<Redacted.Redacted, ConfigFileError>((resume) => {
    const failed = (reason: string) =>
      resume(
        new ConfigFileError({
          file: origin,
          reason: `api-key-command ${reason}`,
          hint: "run the command in a shell: it must print only the API key, and exit with status 0"
        })
      )
    const child = spawn(command, {
      shell: true,
      stdio: ["inherit", "pipe", "inherit"],
      timeout: timeoutMillis,
      windowsHide: true
    })
    let output = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text: string) => {
      output += text
      if (output.length <= maxBytes) return
      child.kill()
      failed(`printed more than ${maxBytes} bytes`)
    })
    child.on("error", (error) => failed(`cannot run: ${describeSystemError(error)}`))
    child.on("close", (code, signal) => {
      const [key = ""] = output.trim().split(/\r?\n/)
      if (code !== 0) failed(signal === null ? `failed with exit code ${code}` : `ended by ${signal}`)
      else if (key === "") failed("printed nothing")
      else resume(Effect.succeed(Redacted.make(key)))
    })
    return Effect.sync(() => child.kill())
  })
