/** The API key of a profile: from the environment, a file of mode 0600, or a command. */
import * as Settings from "@blockquarry/http/gateway/Settings"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { ConfigFileError, UsageError } from "../errors/CommandError.ts"
import { describeSystemError, errorCode, systemFailure } from "../errors/SystemError.ts"
import { environmentVariable } from "../terminal/EnvironmentVariable.ts"
import { protectSecret } from "../terminal/Redaction.ts"
import { whileBlocking } from "../terminal/Signals.ts"
import { userFile } from "./ConfigPaths.ts"
import { type Configuration, missingHome, unknownProfile } from "./Configuration.ts"
import { readSmallFile, replaceFile } from "./ReplaceFile.ts"

/** Identifies a key without revealing it: the first 32 bits of its SHA-256 hash. */
export const fingerprint = (key: Redacted.Redacted): string =>
  `sha256:${createHash("sha256").update(Redacted.value(key)).digest("hex").slice(0, 8)}`

/** Returns the file of a profile's key; fails without a home directory. */
export const keyFile = (profile: string): Effect.Effect<string, ConfigFileError> =>
  Effect.flatMap(
    userFile(process.platform, "keys", `${profile}.key`),
    (file) => file === null ? missingHome("API key") : Effect.succeed(file)
  )

export const hasStoredKey = (profile: string): Effect.Effect<boolean> =>
  keyFile(profile).pipe(
    Effect.map((file) => fs.existsSync(file)),
    Effect.orElseSucceed(() => false)
  )

/** Fails if the profile in use is neither in the user file nor has an API key. */
export const requireProfile = (configuration: Configuration): Effect.Effect<void, UsageError> =>
  Effect.gen(function*() {
    const { profile, profiles, values } = configuration
    if (profiles.includes(profile) || (yield* hasStoredKey(profile))) return
    yield* unknownProfile(profile, configuration, values.get("profile")?.origin ?? null)
  })

/** Returns an API key that can be sent. It never appears in messages from then on. */
export const usableKey = (
  key: Redacted.Redacted,
  source: string
): Effect.Effect<Redacted.Redacted, UsageError> =>
  Effect.zipRight(protectSecret(key), Settings.apiKeyConfig).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([[Settings.apiKey, Redacted.value(key)]]))),
    Effect.mapError(() =>
      new UsageError({
        reason:
          `${source}: expected an API key, got characters that are invalid in an HTTP header, such as a line break`,
        hint: "the API key is a single line without quotes"
      })
    )
  )

/** Protects the stored key, so that messages do not repeat it even if a command does not use it. */
export const protectStoredKey = (profile: string): Effect.Effect<void> =>
  keyFile(profile).pipe(
    Effect.flatMap(readSmallFile),
    Effect.flatMap((text) => text === null ? Effect.void : protectSecret(Redacted.make(text))),
    Effect.ignore
  )

/** Returns where the API key comes from, for example a file or an environment variable; null if there is none. */
export const findApiKey = (configuration: Configuration) =>
  Effect.gen(function*() {
    const found = (source: string, read: Effect.Effect<Redacted.Redacted, ConfigFileError>) => ({
      source,
      /** Returns the key if it can be sent. A command that prints it may ask the user. */
      read: Effect.flatMap(read, (key) => usableKey(key, source))
    })
    const variable = yield* environmentVariable(Settings.apiKey)
    if (variable !== "") return found(Settings.apiKey, Effect.succeed(Redacted.make(variable)))
    const file = yield* Effect.orElseSucceed(keyFile(configuration.profile), () => null)
    const stored = file === null ? "" : (yield* readSmallFile(file))?.trim() ?? ""
    if (file !== null && stored !== "") return found(file, Effect.succeed(Redacted.make(stored)))
    const command = configuration.values.get("api-key-command")
    if (command === undefined) return null
    const origin = command.origin.text
    return found(`api-key-command (${origin})`, runKeyCommand(command.value, origin))
  })

/** A key is shorter. */
const maxKeyBytes = 16 * 1024

/** A password manager may wait for the user. */
const keyCommandTimeout = 120_000

/** Returns the first line that a shell command prints. The command may ask on the terminal. */
const runKeyCommand = (command: string, origin: string) =>
  Effect.suspend(() => {
    const { error, signal, status, stdout } = whileBlocking(() =>
      spawnSync(command, {
        shell: true,
        stdio: ["inherit", "pipe", "inherit"],
        encoding: "utf8",
        maxBuffer: maxKeyBytes,
        timeout: keyCommandTimeout,
        windowsHide: true
      })
    )
    const [key = ""] = stdout.trim().split(/\r?\n/)
    const problem = errorCode(error) === "ENOBUFS"
      ? `printed more than ${maxKeyBytes} bytes`
      : error !== undefined
      ? `cannot run: ${describeSystemError(error)}`
      : status !== 0
      ? signal === null ? `failed with exit code ${status}` : `ended by ${signal}`
      : key === ""
      ? "printed nothing"
      : null
    return problem === null ? Effect.succeed(Redacted.make(key)) : new ConfigFileError({
      file: origin,
      reason: `api-key-command ${problem}`,
      hint: "run the command in a shell: it must print only the API key, and exit with status 0"
    })
  })

/** Stores the API key of a profile in a file that only the user can read. Returns the file. */
export const storeApiKey = (
  profile: string,
  key: Redacted.Redacted
): Effect.Effect<string, ConfigFileError> =>
  Effect.gen(function*() {
    const file = yield* keyFile(profile)
    yield* replaceFile(file, 0o600, () => Effect.succeed(`${Redacted.value(key)}\n`))
    return file
  })

/** Removes the stored API key. Returns the file; null if there is none. */
export const removeApiKey = (profile: string): Effect.Effect<string | null, ConfigFileError> =>
  Effect.gen(function*() {
    const file = yield* keyFile(profile)
    if (!fs.existsSync(file)) return null
    yield* Effect.try({
      try: () => fs.rmSync(file),
      catch: (error) => new ConfigFileError({ file, ...systemFailure("cannot remove the file", error) })
    })
    return file
  })
