/** Temporary home and project directories. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SecretInput, type SecretInputService } from "../../src/config/SecretInput.ts"
import { temporaryFolder } from "./exports.ts"
import { quarry, type RunOptions, type RunResult } from "./quarry.ts"

export interface Directories {
  readonly home: string
  readonly project: string
  readonly keyFile: (profile: string) => string
  readonly writeUser: (text: string) => void
  /** Runs quarry with the home directory and environment variables. */
  readonly run: (
    argv: ReadonlyArray<string>,
    options?: RunOptions & { readonly input?: SecretInputService }
  ) => Effect.Effect<RunResult>
  /** Provides the directories and environment variables. */
  readonly use: (
    env?: Readonly<Record<string, string>>
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Input of a pipe. */
export const piped = (text: string): SecretInputService => ({
  isTerminal: () => false,
  readHidden: () => Effect.dieMessage("the input is no terminal"),
  readPipe: Effect.succeed(Redacted.make(text))
})

/** Input that is typed at a terminal. */
export const typed = (text: string): SecretInputService => ({
  isTerminal: () => true,
  readHidden: (prompt) => Effect.as(prompt, Redacted.make(text)),
  readPipe: Effect.dieMessage("the input is a terminal")
})

const noInput = piped("")

const write = (file: string, text: string): void => {
  fs.mkdirSync(join(file, ".."), { recursive: true })
  fs.writeFileSync(file, text)
}

/** Creates a home directory, and a project outside of it. Both are removed after the test. */
export const directories: Effect.Effect<Directories> = Effect.sync(() => {
  // As long as in the records, whose tables have it
  const root = temporaryFolder(tmpdir(), "quarry-config-")
  const home = join(root, "home")
  const project = join(root, "project")
  const userFile = join(home, ".config/quarry/config.yaml")
  fs.mkdirSync(project, { recursive: true })
  fs.mkdirSync(home)
  return {
    home,
    project,
    keyFile: (profile) => join(home, `.config/quarry/keys/${profile}.key`),
    writeUser: (text) => write(userFile, text),
    run: (argv, { input = noInput, ...options } = {}) =>
      quarry(argv, { ...options, env: { HOME: home, ...options.env } }).pipe(
        Effect.provideService(SecretInput, input)
      ),
    use: (env = {}) => (effect) =>
      Effect.withConfigProvider(
        effect,
        ConfigProvider.fromMap(new Map(Object.entries({ HOME: home, ...env })))
      )
  }
})
