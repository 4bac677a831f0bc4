/** `quarry auth login|status|logout` */
import * as Settings from "@blockquarry/http/gateway/Settings"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ArgumentValues, isEnabled } from "../args/ArgumentValues.ts"
import { switchOption } from "../args/CommandOption.ts"
import {
  noInputOption,
  outputOption,
  profileOption,
  requestOptions,
  sandboxOption
} from "../args/GlobalOptions.ts"
import * as ApiKey from "../config/ApiKey.ts"
import { SecretInput } from "../config/SecretInput.ts"
import { checkService, type ServiceCheck } from "../diagnostics/CheckService.ts"
import { type CommandError, formatError, MissingApiKeyError, UsageError } from "../errors/CommandError.ts"
import { printRows } from "../formats/PrintRows.ts"
import { environmentVariable } from "../terminal/EnvironmentVariable.ts"
import { type CommandTerminal, note } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import { localCommand } from "./LocalCommand.ts"

const verifyOption = switchOption(
  "verify",
  "Check the key with one request (default; --no-verify stores it unchecked)"
)

/** Says what a check shows about the key. */
const describeCheck = (check: ServiceCheck | null): string =>
  check === null
    ? "not checked, because base-url is not set"
    : check.error === null || check.isAccepted === true
    ? "accepted by the service"
    : `not checked: ${formatError(check.error).message}`

const readKey = (values: ArgumentValues): Effect.Effect<Redacted.Redacted, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const input = yield* SecretInput
    if (input.isTerminal() && isEnabled(values, noInputOption.name)) {
      return yield* new UsageError({
        reason: "the API key cannot be entered with --no-input",
        hint: "pipe it: quarry auth login < key.txt"
      })
    }
    const typed = yield* input.isTerminal()
      ? input.readHidden(note("Paste the API key; it is not shown:", "required"))
      : input.readPipe
    if (Redacted.value(typed) === "") {
      return yield* new UsageError({
        reason: "no API key was entered",
        hint: "type it, or pipe it: quarry auth login < key.txt"
      })
    }
    return yield* ApiKey.usableKey(typed, "stdin")
  })

export const authLogin = localCommand({
  path: ["auth", "login"],
  api: "data",
  summary: "Store the API key of a profile",
  note:
    "Reads the key from the terminal without showing it, or from a pipe, and stores it in a file that only you " +
    "can read. There is no option for it, because command lines are visible to other users.",
  allowsUnknownProfile: true,
  options: [verifyOption, ...requestOptions("data")],
  run: Effect.fnUntraced(function*({ settings, values }) {
    const { profile } = settings.configuration
    const key = yield* readKey(values)
    const isSkipped = values.has(verifyOption.name) && !isEnabled(values, verifyOption.name)
    const check = isSkipped ? null : yield* checkService(settings, key)
    if (check?.isAccepted === false && check.error !== null) {
      yield* note("the key is not stored; --no-verify stores it unchecked")
      return yield* Effect.fail(check.error)
    }
    const file = yield* ApiKey.storeApiKey(profile, key)
    const checked = isSkipped ? "not checked" : describeCheck(check)
    yield* note(
      sanitize(`stored the API key ${ApiKey.fingerprint(key)} of profile ${profile} in ${file}, ${checked}`)
    )
    if ((yield* environmentVariable(Settings.apiKey)) !== "") {
      yield* note(`note: ${Settings.apiKey} is set and takes precedence over the stored key`)
    }
  })
})

export const authStatus = localCommand({
  path: ["auth", "status"],
  summary: "Show where the API key comes from, and its fingerprint",
  options: [outputOption, sandboxOption, profileOption],
  run: Effect.fnUntraced(function*({ settings }) {
    const found = yield* ApiKey.findApiKey(settings.configuration)
    if (found === null && settings.isSandbox) {
      return yield* note("the sandbox requires no API key")
    }
    if (found === null) return yield* new MissingApiKeyError()
    const status = {
      profile: settings.configuration.profile,
      source: found.source,
      fingerprint: ApiKey.fingerprint(yield* found.read)
    }
    yield* printRows(settings.format, [status], {
      profile: {},
      source: { kind: "fixed" },
      fingerprint: { kind: "fixed" }
    })
  })
})

export const authLogout = localCommand({
  path: ["auth", "logout"],
  api: "data",
  summary: "Remove the stored API key of a profile",
  allowsUnknownProfile: true,
  options: [profileOption],
  run: Effect.fnUntraced(function*({ settings: { configuration: { profile } } }) {
    const file = yield* ApiKey.removeApiKey(profile)
    yield* note(
      file === null
        ? `profile ${profile} has no stored API key`
        : `removed the API key of profile ${profile}`
    )
    if ((yield* environmentVariable(Settings.apiKey)) !== "") {
      yield* note(`note: ${Settings.apiKey} is still set`)
    }
  })
})
