/** Runs `quarry` in this process with a sandbox and captured streams. */
import * as HttpProxy from "@blockquarry/http/gateway/HttpProxy"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as ConfigProvider from "effect/ConfigProvider"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { run } from "../../src/Cli.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { HttpTransport } from "../../src/connection/HttpTransport.ts"
import { OutputClosedError, type OutputError } from "../../src/errors/CommandError.ts"
import { formatInformation } from "../../src/help/Help.ts"
import { StandardInput } from "../../src/inputs/InputText.ts"
import { arrange } from "../../src/invocation/Arrange.ts"
import { CommandTerminal, type TerminalService } from "../../src/terminal/Terminal.ts"

export interface RunOptions {
  readonly sandbox?: Sandbox.SandboxOptions
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string>>
  /** Width of the terminal. Default: no terminal. */
  readonly terminal?: number
  readonly isColored?: boolean
  /** Number of writes after which the reader closes the output. */
  readonly closedAfter?: number
  /** Whether stderr has the texts of the progress line too. */
  readonly isProgressNoted?: boolean
  /** Runs before each write, with their number. */
  readonly onWrite?: (count: number) => Effect.Effect<void, OutputError>
  /** Client to use instead of the sandbox. */
  readonly client?: HttpClient.HttpClient
  /** Text on stdin. */
  readonly stdin?: string
  /** Receives the output while the command runs. */
  readonly captured?: CapturedOutput
}

/** The output so far, and the number of texts that the progress line showed. */
export interface CapturedOutput {
  out: string
  err: string
  progressCount: number
}

export interface RunResult {
  readonly code: number
  readonly out: string
  readonly err: string
  /** Text of each write to stdout. */
  readonly writes: ReadonlyArray<string>
}

const ledgers = new Map<string, Ledger.Ledger>()

/** Returns the options with a ledger that all tests of the process share, because it generates its data on first access. */
export const withSharedLedger = (options: Sandbox.SandboxOptions = {}): Sandbox.SandboxOptions => {
  const { ledger: own, scale, seed = 1 } = options
  const name = `${seed} ${scale}`
  const ledger = own ?? ledgers.get(name) ?? Ledger.make({ seed, ...(scale === undefined ? {} : { scale }) })
  if (own === undefined) ledgers.set(name, ledger)
  return { ...options, ledger }
}

/** Environment variables for the sandbox, which is then reached like a real upstream. */
export const sandboxEnvironment = {
  QUARRY_API_KEY: Sandbox.apiKey,
  QUARRY_BASE_URL: Sandbox.baseUrls.data,
  QUARRY_STREAMS_URL: Sandbox.baseUrls.streams,
  QUARRY_LEDGER_URL: Sandbox.baseUrls.ledger,
  QUARRY_LEDGER_TESTNET_URL: Sandbox.baseUrls.ledgerTestnet
}

export const quarry = (argv: ReadonlyArray<string>, options: RunOptions = {}): Effect.Effect<RunResult> =>
  Effect.gen(function*() {
    const writes: Array<string> = []
    let err = ""
    const { captured, closedAfter = Infinity, onWrite = () => Effect.void } = options
    const note = (text: string) => {
      err += `${text}\n`
      if (captured !== undefined) captured.err += `${text}\n`
    }
    const stream = {
      isTerminal: options.terminal !== undefined,
      hasColors: options.isColored ?? false,
      columns: options.terminal ?? null
    }
    const terminal: TerminalService = {
      out: stream,
      err: stream,
      print: (texts, onWritten = () => {}) =>
        Effect.suspend((): ReturnType<TerminalService["print"]> => {
          const text = [texts].flat().join("")
          if (text === "") return Effect.void
          if (writes.length >= closedAfter) return new OutputClosedError()
          return Effect.zipLeft(
            onWrite(writes.length + 1),
            Effect.sync(() => {
              writes.push(text)
              if (captured !== undefined) captured.out += text
              onWritten([texts].flat().length)
            })
          )
        }),
      note: (text) => Effect.sync(() => note(text)),
      progress: (text) =>
        Effect.sync(() => {
          if (text === null) return
          if (stream.isTerminal && options.isProgressNoted === true) note(`(progress) ${text}`)
          if (captured !== undefined) captured.progressCount++
        })
    }
    const client = options.client === undefined
      ? Sandbox.layer(withSharedLedger(options.sandbox))
      : Layer.succeed(HttpClient.HttpClient, options.client)
    const { invocation, ...line } = arrange(commandLine, argv)
    if (invocation._tag !== "Run" && invocation._tag !== "Invalid") {
      yield* Effect.orDie(terminal.print(formatInformation(commandLine, invocation, stream, "1.2.3")))
      return { code: 0, out: writes.join(""), err, writes }
    }
    const code = yield* run({ ...line, invocation }).pipe(
      Effect.provideService(CommandTerminal, terminal),
      Effect.provideService(HttpTransport, {
        network: () => Effect.succeed(client),
        proxyOf: (url) => HttpProxy.find((name) => options.env?.[name], url),
        sandbox: Effect.succeed({ client, apiKey: Sandbox.apiKey, baseUrls: Sandbox.baseUrls })
      }),
      Effect.provideService(StandardInput, async function*() {
        yield new TextEncoder().encode(options.stdin ?? "")
      }),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(options.env ?? {}))))
    )
    return { code, out: writes.join(""), err, writes }
  })

/** Parses newline-delimited JSON. */
export const records = (out: string): ReadonlyArray<Record<string, unknown>> =>
  out.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))

/** What identifies each printed transfer. */
export const transferIds = (out: string): ReadonlyArray<string> =>
  records(out).map(({ log_index, transaction_hash }) => `${String(transaction_hash)}:${String(log_index)}`)

/** Lets what waits for files and modules go on, whose time is real. */
export const eventLoopTurn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Runs an effect while the test clock advances in steps. */
export const withRunningClock = <A, E, R>(effect: Effect.Effect<A, E, R>, step: Duration.DurationInput) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(effect)
    while ((yield* Fiber.poll(fiber))._tag === "None") {
      yield* eventLoopTurn
      yield* TestClock.adjust(step)
    }
    return yield* Fiber.join(fiber)
  })
