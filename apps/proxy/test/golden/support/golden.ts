/**
 * Records of the proxy's behavior: requests and responses on the wire, and log lines. `vitest -u` rewrites
 * them; a difference fails in CI. A response with the status and the body of an earlier one of the record shows only the
 * headers that differ. Where a test replays a record, that is the list of requests, too: a new case is a title and a request.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import { createHook } from "node:async_hooks"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { fileURLToPath } from "node:url"
import * as Zlib from "node:zlib"
import { expect } from "vitest"
import { type Config, defaults } from "../../../src/config/Config.ts"
import type * as Logging from "../../../src/observability/Logging.ts"
import type { UpstreamEndpoints } from "../../../src/upstream/Upstreams.ts"
import * as Wire from "../../hostile/rawHttp.ts"
import { examples, launch, openAdmin, upstreamsWith } from "../../support/proxy.ts"
import * as Upstream from "../../support/ScriptedUpstream.ts"
import * as Clock from "./clock.ts"

export { examples }

export const record = (name: string): string => fileURLToPath(new URL(`../records/${name}`, import.meta.url))

/** Compares a text with a record. */
export const matches = (text: string, name: string): Promise<void> =>
  expect(text).toMatchFileSnapshot(record(name))

/** Formats a document as JSON. An object without others is one line if that is short. */
export const pretty = (document: unknown): string => {
  const text = JSON.stringify(document, null, 2).replaceAll(/\{\n[^{}[\]]*\}/g, (object) => {
    const line = object.replaceAll(/\n\s*/g, " ")
    return line.length > 100 ? object : line
  })
  return `${text}\n`
}

export interface Options {
  readonly config?: Partial<Config>
  readonly endpoints?: UpstreamEndpoints
  readonly style?: Logging.LogStyle
  /** Default: `info`. The record `upstream-failures` has the debug lines of calls. */
  readonly logLevel?: "debug"
}

export interface Proxied {
  readonly running: Effect.Effect.Success<ReturnType<typeof launch>>
  readonly upstream: Upstream.Upstream
  readonly clock: Clock.ManualClock
  readonly lines: Array<string>
  readonly close: () => Promise<void>
  /** Starts the shutdown; the test still controls the clock. */
  readonly stop: () => Promise<void>
}

/** The default configuration with free ports, both listeners, and no cache. */
export const settings = (config: Partial<Config> = {}): Config => ({
  ...defaults,
  cache: { ...defaults.cache, enabled: false },
  listen: { ...defaults.listen, port: 0 },
  admin: openAdmin,
  shutdown: { delay: Duration.zero, timeout: Duration.seconds(1) },
  ...config
})

export const withCache: Partial<Config> = { cache: defaults.cache }

export const start = async (options: Options = {}): Promise<Proxied> => {
  const { style = "json" } = options
  const clock = Clock.make()
  const lines: Array<string> = []
  const scope = await Effect.runPromise(Scope.make())
  const upstream = await Effect.runPromise(Upstream.make())
  const config = settings(options.config)
  const running = await launch(config, upstreamsWith(upstream.client, options.endpoints), {
    sampler: null,
    log: { sink: (line) => void lines.push(line), style },
    logLevel: options.logLevel ?? "info",
    shutdownDelay: Effect.succeed(config.shutdown.delay)
  }).pipe(
    Effect.withRandom(Random.fixed([0.5])),
    Effect.withClock(clock.clock),
    Scope.extend(scope),
    Effect.runPromise
  )
  const end = () => Effect.runPromise(Effect.withClock(Scope.close(scope, Exit.void), clock.clock))
  return {
    running,
    upstream,
    clock,
    lines,
    stop: end,
    close: async () => {
      clock.release()
      await end()
    }
  }
}

/** A request to send. */
export interface Sent {
  readonly method?: string
  /** Header lines. `Host` and `Connection: close` are added unless `bare` is set. */
  readonly headers?: ReadonlyArray<string>
  readonly host?: string
  readonly bare?: boolean
  readonly body?: string
  readonly upstream?: ReadonlyArray<Upstream.Scripted>
  /** The listener. */
  readonly to?: "proxy" | "admin"
  /** Note on where the body is recorded, if not here. */
  readonly elsewhere?: string
  /** The raw request, instead of all fields above. */
  readonly raw?: string
}

interface Recorder {
  /** Sends a request and records the response. */
  readonly send: (title: string, target: string, sent?: Sent) => Promise<ReadonlyArray<Wire.ParsedResponse>>
  /** Starts another proxy, without the state of the previous one. Without a title, it has that of its first request. */
  readonly proxy: (title: string, options?: Options) => Promise<Proxied>
  /** Starts a proxy, and sends the requests that the record has below its title. `more` is what it does not show of some. */
  readonly replay: (title: string, options?: Options, more?: Readonly<Record<string, Sent>>) => Promise<void>
  /** Moves the clock forward. */
  readonly pass: (millis: number) => Promise<void>
  /** Records a note. */
  readonly note: (text: string) => void
  /** Waits for a log line. */
  readonly logged: (text: string) => Promise<void>
  /** Compares everything recorded with the records. */
  readonly end: () => Promise<void>
  /** Ends without a record, for traffic that other records show. */
  readonly close: () => Promise<void>
}

/** The Host header of every request, so that records do not contain the actual port. */
export const host = "127.0.0.1:8650"

/** Records `NAME.http` and `NAME.log.ndjson`. */
export const recorder = (name: string): Recorder => {
  const written: Array<string> = []
  const logged: Array<string> = []
  const names: Array<readonly [string, string]> = []
  const state: { proxied: Proxied | undefined; number: number; mark: string } = {
    proxied: undefined,
    number: 0,
    mark: "==="
  }
  const seen: Array<ShownResponse> = []
  const current = (): Proxied => {
    if (state.proxied === undefined) throw new Error("no proxy runs")
    return state.proxied
  }
  const takeLog = (): void => {
    const lines = current().lines.splice(0).filter((line) => !isOfRuntime(line))
    logged.push(...lines.map((line) => named(lineText(line), names)))
  }
  const close = async () => {
    if (state.proxied === undefined) return
    await state.proxied.close()
    takeLog()
    state.proxied = undefined
  }
  const proxy: Recorder["proxy"] = async (title, options) => {
    await close()
    state.mark = title === "" ? "#####" : "==="
    if (title !== "") {
      written.push(`##### ${title}\n`)
      logged.push(JSON.stringify({ proxy: title }))
    }
    state.proxied = await start(options)
    return state.proxied
  }
  const pass: Recorder["pass"] = async (millis) => {
    const { clock } = current()
    clock.moveTo(clock.now() + millis)
    await Clock.turns(60)
    written.push(`(${millis} ms pass)\n`)
  }
  const send: Recorder["send"] = async (title, target, sent = {}) => {
    const proxied = current()
    state.number += 1
    const number = state.number
    const text = sent.raw ?? requestText(target, sent)
    const stream = await exchange(proxied, sent, text)
    const { incomplete, problem, ...parsed } = Wire.parseResponses(stream, () => sent.method === "HEAD")
    const responses = incomplete === undefined ? parsed.responses : [...parsed.responses, incomplete]
    const ids = responses.flatMap((response) => Wire.header(response, "x-request-id") ?? [])
    names.push(...ids.filter((id) => id.search(uuid) === 0).map((id) => [id, `<id ${number}>`] as const))
    const probe = /^\w+ (http:\/\/[^/]+)?\/(livez|readyz)[ ?]/.test(text) && responses[0]?.status === 200
    if (sent.to !== "admin" && !probe) {
      for (const id of ids) {
        await until(`the line of ${title}`, () => proxied.lines.some((line) => line.includes(id)))
      }
    }
    takeLog()
    const upstream = counted(proxied.upstream.takeRequests()).map((line) =>
      `upstream: ${abbreviated(named(line, names))}`
    )
    const texts = responses.map((response) => {
      const shown = shownResponse(response, number, sent.elsewhere, names)
      const text = differencesOf(shown, seen)
      seen.push(shown)
      return text
    })
    written.push(
      [
        `${state.mark} ${number}. ${title}${sent.to === "admin" ? " (admin listener)" : ""}`,
        named(abbreviatedRequest(text), names),
        ...texts,
        ...(incomplete === undefined ? [] : ["the connection closes before the last chunk"]),
        ...(problem === null || incomplete !== undefined ? [] : [`no response: ${problem}`]),
        ...(stream === "" ? ["the connection closes without a response"] : []),
        ...upstream,
        ""
      ].join("\n")
    )
    state.mark = "==="
    return responses
  }
  return {
    close,
    pass,
    proxy,
    replay: async (title, options, more = {}) => {
      await proxy(title, options)
      for (const step of recordedSteps(name, title)) {
        if (typeof step === "number") await pass(step)
        else await send(step.title, "", { ...step.sent, ...more[step.title] })
      }
    },
    send,
    note: (text) => void written.push(`${text}\n`),
    logged: (text) => {
      const { lines } = current()
      return until(`a line with ${text}`, () => lines.some((line) => line.includes(text)))
    },
    end: async () => {
      await close()
      await matches(written.join("\n"), `${name}.http`)
      await matches(`${logged.join("\n")}\n`, `${name}.log.ndjson`)
    }
  }
}

/** The requests below the title of a proxy in a record, and the milliseconds that pass between them. */
const recordedSteps = (name: string, proxy: string) => {
  const section = readFileSync(record(`${name}.http`), "utf8").split(/^##### /m)
    .find((text) => text.startsWith(`${proxy}\n`))
  if (section === undefined) throw new Error(`${name}.http has no ${proxy}`)
  return section.split(/^(?:=== |\((?=\d+ ms pass))/m).slice(1).map((step) => {
    const [, millis] = /^(\d+) ms pass\)/.exec(step) ?? []
    if (millis !== undefined) return Number(millis)
    const [heading = "", ...lines] = step.split("\n")
    const [, title = "", admin] = /^(?:\d+\. )?(.*?)( \(admin listener\))?$/.exec(heading) ?? []
    const [, elsewhere] = /^\n\((.+)\)$/m.exec(step) ?? []
    const end = lines.findIndex((line) => /^(-> |no response|the connection)/.test(line))
    const [line = "", ...others] = lines.slice(0, end < 0 ? undefined : end)
    const hosts = others.some((one) => one.startsWith("Host:")) ? [] : [`Host: ${host}`]
    const usual = line.endsWith(" HTTP/1.1") ? [...hosts, "Connection: close"] : []
    const text = [line, ...usual, ...others].join("\n").replace(/\n+$/, "")
    const [head = "", body = ""] = text.split("\n\n")
    const sent: Sent = {
      method: line.split(" ")[0] ?? "",
      raw: `${head.replaceAll("\n", "\r\n")}\r\n\r\n${body}`,
      ...(admin === undefined ? {} : { to: "admin" }),
      ...(elsewhere === undefined ? {} : { elsewhere })
    }
    return { title, sent }
  })
}

/** Combines repeated lines. */
const counted = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const runs: Array<{ readonly line: string; count: number }> = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last?.line === line) last.count += 1
    else runs.push({ line, count: 1 })
  }
  return runs.map(({ count, line }) => count === 1 ? line : `${count} × ${line}`)
}

/** Waits until a condition holds. A test ends before this does. */
export const until = async (what: string, holds: () => boolean): Promise<void> => {
  const began = performance.now()
  while (!holds()) {
    if (performance.now() - began > 600_000) throw new Error(`timeout: ${what}`)
    await Clock.turns(1)
  }
}

/** The jobs of the thread pool that have not completed: reads of files, and signatures. Others may end with garbage collection. */
const jobs = new Set<number>()
createHook({
  init: (id, type) => void (/^(FSREQ|SIGNREQUEST)/.test(type) && jobs.add(id)),
  destroy: (id) => void jobs.delete(id)
}).enable()

/** After this many turns of the event loop without activity, the proxy is considered idle. */
const idleTurns = 80

/** Writes a request and reads until the connection ends. Wakes sleeping fibers once all others are idle. */
const exchange = async (
  { clock, running, upstream }: Proxied,
  { to = "proxy", upstream: script = [] }: Sent,
  text: string
): Promise<string> => {
  upstream.script(script)
  const since = clock.begun()
  const port = to === "proxy" ? running.port : running.adminPort ?? 0
  const state = { over: false, calm: 0, seen: "" }
  const response = Effect.runPromise(Wire.exchange(port, Wire.bytes(text))).finally(() => {
    state.over = true
  })
  while (!state.over) {
    const seen = `${clock.begun()} ${upstream.count()}`
    state.calm = seen === state.seen && jobs.size === 0 ? state.calm + 1 : 0
    state.seen = seen
    const next = clock.nextEnd(since)
    if (state.calm > idleTurns && next !== undefined) {
      state.calm = 0
      clock.moveTo(next)
    }
    await Clock.turns(1)
  }
  return response
}

export const requestText = (target: string, { bare = false, body, headers = [], ...sent }: Sent): string => {
  const lines = [
    `${sent.method ?? "GET"} ${target} HTTP/1.1`,
    ...(bare ? [] : [`Host: ${sent.host ?? host}`, "Connection: close"]),
    ...headers,
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`])
  ]
  return `${lines.join("\r\n")}\r\n\r\n${body === undefined ? "" : Buffer.from(body).toString("latin1")}`
}

const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16)

const maxLength = 1200

/** Abbreviates long text. */
const abbreviated = (text: string): string =>
  text.length <= maxLength
    ? text
    : `${text.slice(0, 200)} … (${text.length} characters, SHA-256 ${digest(Buffer.from(text))})`

/** Returns a request without the headers that all requests share. */
const abbreviatedRequest = (text: string): string => {
  const [head = "", ...body] = text.split("\r\n\r\n")
  const lines = head.split("\r\n").filter((line) => line !== `Host: ${host}` && line !== "Connection: close")
  const rest = body.join("\r\n\r\n")
  return [
    ...lines.map((line) => abbreviated(printable(line))),
    ...(rest === "" ? [] : ["", abbreviated(printable(rest))])
  ]
    .join("\n")
}

/** Escapes control characters, except line ends. */
const printable = (text: string): string =>
  Array.from(text, (character) => {
    const code = character.charCodeAt(0)
    return (code < 32 && character !== "\n") || (code > 126 && code < 160)
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : character
  }).join("")

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => Zlib.gunzipSync(bytes),
  br: (bytes) => Zlib.brotliDecompressSync(bytes)
}

interface ShownResponse {
  /** The number of the request. */
  readonly number: number
  readonly status: number
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

/** Returns the text of a response, or what differs from the most similar earlier one with the same status and body. */
const differencesOf = (
  { body, headers, number, status }: ShownResponse,
  earlier: ReadonlyArray<ShownResponse>
): string => {
  const anonymous = (text: string, number: number) => text.replaceAll(`<id ${number}>`, "<id>")
  const [nearest] = earlier
    .filter((other) =>
      other.status === status && anonymous(other.body, other.number) === anonymous(body, number)
    )
    .map((other) => ({
      number: other.number,
      differing: headers.filter((header) => !other.headers.includes(header)),
      missing: other.headers.filter((header) => !headers.some((own) => nameOf(own) === nameOf(header)))
        .map((header) => `(no ${nameOf(header)})`)
    }))
    .sort((one, other) =>
      one.differing.length + one.missing.length - other.differing.length - other.missing.length
    )
  const differences = nearest === undefined ? headers : [...nearest.differing, ...nearest.missing]
  return nearest === undefined || differences.length > headers.length
    ? [`-> ${status}`, ...headers, ...(body === "" ? [] : ["", body])].join("\n")
    : [`-> as in ${nearest.number}${differences.length === 0 ? "" : ", except"}`, ...differences].join("\n")
}

const nameOf = (header: string): string => header.split(":")[0] ?? ""

/**
 * Replaces what differs between runs. A Content-Length equal to the recorded body is redundant; that of a compressed body
 * depends on the version of Node.
 */
const shownResponse = (
  response: Wire.ParsedResponse,
  number: number,
  elsewhere: string | undefined,
  names: ReadonlyArray<readonly [string, string]>
): ShownResponse => {
  const encoding = Wire.header(response, "content-encoding")
  const decode = encoding === undefined ? undefined : decoders[encoding]
  const sent = Buffer.from(response.body, "latin1")
  const valueOf = (name: string, value: string): string => {
    if (name === "date") return "<date>"
    const isDerived = value === String(sent.byteLength) || decode !== undefined || response.status >= 400 ||
      elsewhere !== undefined
    if (name === "content-security-policy") return value.replaceAll(/'sha256-[^']*'/g, "'sha256-<hash>'")
    return name === "content-length" && isDerived ? "<length>" : named(value, names)
  }
  const headers = response.headers.map(([name, value]) => [name.toLowerCase(), value] as const)
    .map(([name, value]) => `${name}: ${valueOf(name, value)}`).sort()
  const bytes = decode === undefined || sent.byteLength === 0 ? sent : decode(sent)
  return {
    number,
    status: response.status,
    headers: withoutUsual(headers, number),
    body: elsewhere === undefined ? named(bodyText(bytes, response.status), names) : `(${elsewhere})`
  }
}

/** Leaves out the headers that every response has, and says if one is missing. */
const withoutUsual = (headers: ReadonlyArray<string>, number: number): ReadonlyArray<string> => {
  const usual = [
    ["connection", "close"],
    ["content-length", "<length>"],
    ["date", "<date>"],
    ["x-request-id", `<id ${number}>`]
  ] as const
  const has = (name: string) => headers.some((header) => header.startsWith(`${name}:`))
  const missing = usual.map(([name]) => name)
    .filter((name) => !has(name) && !(name === "content-length" && has("transfer-encoding")))
  return [
    ...headers.filter((header) => !usual.some(([name, value]) => header === `${name}: ${value}`)),
    ...(missing.length === 0 ? [] : [`(no ${missing.join(", ")})`])
  ]
}

const bodyText = (bytes: Buffer, status: number): string => {
  const text = bytes.toString("utf8").trimEnd()
  if (bytes.byteLength === 0 || status >= 400 || text.length <= 400) return text
  const lines = text.split("\n")
  // The last line of a list reports how it ended
  const last = lines.length > 1 ? lines.pop() : undefined
  const rest = Buffer.from(lines.join("\n"))
  const size = `${rest.byteLength} bytes${lines.length > 1 ? ` in ${lines.length} lines` : ""}`
  const before = rest.byteLength <= 400
    ? rest.toString()
    : `${text.slice(0, 60)} … (${size}, SHA-256 ${digest(rest)})`
  return last === undefined ? before : `${before}\n${last}`
}

/** Log lines of the Effect runtime, which contain internal values. */
const isOfRuntime = (line: string): boolean => line.includes("Fiber terminated with an unhandled error")

/** Removes stack traces, and the length of responses whose text is elsewhere: error messages and documents. */
export const lineText = (line: string): string => {
  const text = line.replaceAll(/(\\n|\n) +at [^\n"]*?(?=\\n|\n|"|$)/g, "")
  const withoutLength = /"code":"|"route":"\/openapi.json"/.test(text)
    ? text.replace(/"bytes":\d+/, "\"bytes\":\"<length>\"")
    : text
  return text.startsWith("{") ? inOrder(withoutLength) : withoutLength
}

/** Sorts the annotations of a log line. */
const inOrder = (line: string): string => {
  const document: unknown = JSON.parse(line)
  if (!Predicate.isRecord(document) || document["message"] === "request") return line
  const { level, message, time, ...others } = document
  const sorted = Object.entries(others).sort(([one], [other]) => one < other ? -1 : 1)
  return JSON.stringify({ time, level, message, ...Object.fromEntries(sorted) })
}

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g

const processName = new RegExp(`\\b${hostname().replaceAll(".", "[.]")}-[0-9a-f]{8}\\b`, "g")

export const named = (text: string, names: ReadonlyArray<readonly [string, string]>): string =>
  names.reduce((text, [id, name]) => text.replaceAll(id, name), text)
    .replaceAll(processName, "<process>")
    .replaceAll(uuid, (id) => known.has(id) ? id : "<id>")
    .replaceAll(cursor, (text) => `<cursor ${digest(Buffer.from(text)).slice(0, 8)}>`)

/** Cursors of the sandbox. */
const cursor = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g

/** Ids of the ledger, which are constant. */
const known: ReadonlySet<string> = new Set([examples.stream])
