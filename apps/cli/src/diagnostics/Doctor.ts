/** The checks of `quarry doctor`. */
import * as HttpProxy from "@blockquarry/http/gateway/HttpProxy"
import * as Settings from "@blockquarry/http/gateway/Settings"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fs from "node:fs"
import * as ApiKey from "../config/ApiKey.ts"
import { type CommandSettings, defaultProfile, formatIssue } from "../config/Configuration.ts"
import { variableOf } from "../config/Setting.ts"
import { HttpTransport } from "../connection/HttpTransport.ts"
import { formatError } from "../errors/CommandError.ts"
import { describeSystemError } from "../errors/SystemError.ts"
import { baseUrlOptions } from "../text/BaseUrlOptions.ts"
import { checkService, type ServiceCheck } from "./CheckService.ts"
import { checkConnection, type UnreachableError } from "./ConnectionCheck.ts"

export interface Finding {
  readonly check: string
  readonly status: "ok" | "warning" | "failed" | "skipped"
  readonly message: string
  /** What to do; null if nothing is to be done. */
  readonly fix: string | null
}

const finding =
  (status: Finding["status"]) => (check: string, message: string, fix: string | null = null): Finding => ({
    check,
    status,
    message,
    fix
  })

const ok = finding("ok")
const warning = finding("warning")
const failed = finding("failed")
const skipped = finding("skipped")

/** Runs all checks, in the order in which problems should be fixed. */
export const runChecks = (
  settings: CommandSettings
): Effect.Effect<ReadonlyArray<Finding>, never, HttpTransport> =>
  Effect.gen(function*() {
    const local = [
      // The program does not start with an older version than it requires
      ok("node", `Node.js ${process.version} on ${process.platform} ${process.arch}`),
      ...checkFile(settings),
      ...(yield* checkProfile(settings))
    ]
    return settings.isSandbox
      ? [...local, ...(yield* checkSandbox(settings))]
      : [...local, ...(yield* checkNetwork(settings))]
  })

const checkFile = ({ configuration: { file, issues } }: CommandSettings): ReadonlyArray<Finding> =>
  issues.length > 0
    ? issues.map((issue) => failed("configuration", formatIssue(issue), issue.hint ?? "correct it"))
    : file === null
    ? [skipped("configuration", "no configuration file, and HOME is not set")]
    : [fs.existsSync(file) ? ok("configuration", file) : skipped("configuration", `${file} does not exist`)]

const checkProfile = ({ configuration }: CommandSettings): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function*() {
    const { profile, values } = configuration
    const origin = values.get("profile")?.origin
    const known = yield* Effect.either(ApiKey.requireProfile(configuration))
    const file = yield* Effect.orElseSucceed(ApiKey.keyFile(profile), () => null)
    return [
      Either.isRight(known)
        ? ok("profile", `${profile}${origin === undefined ? "" : ` (${origin.text})`}`)
        : failed("profile", known.left.reason, known.left.hint),
      ...file === null || process.platform === "win32" ? [] : checkPermissions(file)
    ]
  })

const checkPermissions = (file: string): ReadonlyArray<Finding> => {
  try {
    return (fs.statSync(file).mode & 0o077) === 0 ? [] : [
      warning("API key file", `${file}: other users can read it`, `chmod 600 ${file}`)
    ]
  } catch {
    return []
  }
}

const checkSandbox = (settings: CommandSettings) =>
  Effect.map(Effect.orDie(checkService(settings, null)), (check) =>
    check === null || check.error === null
      ? [ok("sandbox", `answered in ${check?.millis} ms`)]
      : [failed("sandbox", formatError(check.error).message, "this is a bug in quarry; please report it")])

const checkNetwork = (settings: CommandSettings) =>
  Effect.gen(function*() {
    const configured = baseUrlOptions.flatMap(({ name }) => {
      const url = settings.configuration.values.get(name)?.value
      return url === undefined ? [] : [{ name, url: new URL(url) }]
    })
    if (configured.length === 0) {
      return [failed(
        "base URL",
        "no base URL is set",
        "quarry config set base-url <url>, or use --sandbox to try quarry without a service"
      )]
    }
    const { proxyOf } = yield* HttpTransport
    const hosts = Arr.dedupeWith(configured, (one, other) => one.url.origin === other.url.origin)
    const reached = yield* Effect.forEach(
      hosts,
      ({ name, url }) => checkHost(name, url, proxyOf(url)),
      { concurrency: 4 }
    )
    const dataUrl = configured.find(({ name }) => name === "base-url")?.url
    const isReached = hosts.every(({ url }, index) =>
      url.origin !== dataUrl?.origin || reached[index]?.every(({ status }) => status !== "failed")
    )
    const service = dataUrl === undefined
      ? [skipped("service", "base-url is not set")]
      : yield* checkKey(settings, isReached)
    return [...reached.flat(), ...service]
  })

const checkHost = (name: string, url: URL, proxy: HttpProxy.NamedProxy | null) =>
  Effect.gen(function*() {
    const check = `${name}: connection`
    const invalid = proxy === null ? null : HttpProxy.invalidReason(proxy.value)
    if (invalid !== null) return [failed(check, `${proxy?.variable}: ${invalid}`, "correct or unset it")]
    const target = proxy === null ? url : new URL(proxy.value)
    const label = proxy === null ? url.host : `proxy ${target.host} for ${url.host}`
    const result = yield* Effect.either(checkConnection(target))
    if (result._tag === "Left") {
      const reason = `${reasons[result.left.step]}: ${describeSystemError(result.left)}`
      return [failed(check, `${label}: ${reason}`, fixOf(result.left, url, proxy))]
    }
    const { addresses, certificate, connectMillis } = result.right
    return [
      ok(check, `${label}: ${addresses.join(", ")} in ${connectMillis} ms`),
      ...certificate === null
        ? checkPlainHttp(name, url)
        : [ok(
          `${name}: TLS`,
          `certificate of ${certificate.issuer} until ${certificate.validTo.toISOString().slice(0, 10)}`
        )]
    ]
  })

const reasons = { name: "the name cannot be resolved", connection: "cannot connect", tls: "TLS fails" }

const fixOf = ({ code, step }: UnreachableError, url: URL, proxy: HttpProxy.NamedProxy | null): string => {
  switch (step) {
    case "name":
      return proxy === null
        ? "check the spelling of the base URL, and the DNS of your network"
        : `check the spelling of ${proxy.variable}`
    case "connection":
      return proxy !== null
        ? `check that the proxy runs, or unset ${proxy.variable}`
        : isLoopback(url)
        ? "check that the service runs, and its port"
        : `check the port and your firewall; if your network needs a proxy, set ${
          HttpProxy.variablesFor(url)[0]
        }`
    case "tls":
      return code === "CERT_HAS_EXPIRED"
        ? "the operator of the service must renew the certificate; check your clock as well"
        : "if a company proxy or a private authority signs it, set NODE_EXTRA_CA_CERTS to its certificate"
  }
}

const isLoopback = ({ hostname }: URL): boolean => /^(?:localhost|127\..*|\[::1\])$/.test(hostname)

const checkPlainHttp = (name: string, url: URL): ReadonlyArray<Finding> =>
  url.protocol === "https:" || isLoopback(url) ? [] : [
    warning(`${name}: TLS`, `${url.host}: the API key is sent without encryption`, "use a URL with https")
  ]

const checkKey = (settings: CommandSettings, isReached: boolean) =>
  Effect.gen(function*() {
    const { profile } = settings.configuration
    const found = yield* ApiKey.findApiKey(settings.configuration)
    if (found === null) {
      const forProfile = profile === defaultProfile ? "" : ` --profile ${profile}`
      return [failed("API key", "there is none", `quarry auth login${forProfile}, or set ${Settings.apiKey}`)]
    }
    const key = yield* found.read
    const check = isReached ? yield* checkService(settings, key) : null
    const label = `${ApiKey.fingerprint(key)} from ${found.source}`
    return [checkAccepted(check, label, found.source), ...check === null ? [] : [checkResponse(check)]]
  }).pipe(
    Effect.catchTags({
      ConfigFileError: (error) =>
        Effect.succeed([
          failed("API key", formatError(error).message, "correct it, or run quarry auth login")
        ]),
      UsageError: (error) => Effect.succeed([failed("service", formatError(error).message, error.hint)])
    })
  )

const checkAccepted = (check: ServiceCheck | null, label: string, source: string): Finding => {
  if (check === null) return skipped("API key", `${label}: not checked without a connection`)
  switch (check.isAccepted) {
    case true:
      return ok("API key", `${label}: accepted`)
    case null:
      return warning("API key", `${label}: not checked, because the request failed`)
    case false:
      return failed(
        "API key",
        `${label}: rejected`,
        source === Settings.apiKey
          ? `set ${Settings.apiKey} to another key, or unset it`
          : "quarry auth login stores another key"
      )
  }
}

/** The connection itself is checked before. */
const networkFix = "repeat the check; if it fails again, ask the operator of the service or the proxy"

const checkResponse = ({ error, isAccepted, millis }: ServiceCheck): Finding => {
  if (error === null || isAccepted !== null) return ok("service", `answered in ${millis} ms`)
  // Of every wallet there is a list, so the path is wrong
  if (error._tag === "NotFoundError") {
    return failed(
      "base URL",
      "the service has no such path",
      `check the path of the base URL (${variableOf("base-url")})`
    )
  }
  const { hint, message } = formatError(error)
  return failed("service", message, error._tag === "NetworkError" ? networkFix : hint)
}
