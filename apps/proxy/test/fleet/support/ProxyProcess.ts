/** The program as operating system processes, started with its command line. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { spawn, type SpawnOptions } from "node:child_process"
import { openConnection } from "../../hostile/rawHttp.ts"
import { program } from "../../support/program.ts"
import { sendRequest } from "../../support/proxy.ts"
import { type ConditionTimeout, eventually } from "./Eventually.ts"

interface ExitStatus {
  readonly code: number | null
  /** The signal that ended the process, if any. */
  readonly signal: NodeJS.Signals | null
}

export interface ProxyProcess {
  readonly port: number
  /** The URL of the admin listener; empty if disabled. */
  readonly adminOrigin: string
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  readonly hasExited: () => boolean
  readonly exit: Effect.Effect<ExitStatus | undefined, ConditionTimeout>
  /** The messages of the log so far. */
  readonly log: () => ReadonlyArray<string>
  /** Waits for the first message with this text after `since` messages. */
  readonly waitForLog: (words: string, since?: number) => Effect.Effect<string, ConditionTimeout>
}

/** The exit status of a process that was asked to stop. */
export const stopped = { code: 0, signal: null }

const messageOf = (line: string): string => {
  const parsed: unknown = JSON.parse(line)
  return Predicate.hasProperty(parsed, "message") ? String(parsed.message) : line
}

/** Starts the program, or another file, and waits for its startup message. */
export const start = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  file = program,
  options: Pick<SpawnOptions, "uid" | "gid"> = {}
): Effect.Effect<ProxyProcess, ConditionTimeout, Scope.Scope> =>
  Effect.gen(function*() {
    let [stdout, stderr] = ["", ""]
    let status: ExitStatus | undefined
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(process.execPath, [file, ...args], {
          ...options,
          env: { PATH: process.env["PATH"] ?? "", ...env },
          stdio: ["ignore", "pipe", "pipe"]
        })
        child.stdout.on("data", (text: Buffer) => stdout += text.toString())
        child.stderr.on("data", (text: Buffer) => stderr += text.toString())
        // No process may outlive the tests, even if they are aborted
        const kill = () => void child.kill("SIGKILL")
        process.once("exit", kill)
        child.once("close", (code, signal) => {
          process.off("exit", kill)
          status = { code, signal }
        })
        return child
      }),
      (child) => Effect.zipRight(Effect.sync(() => child.kill("SIGKILL")), Effect.orDie(exit))
    )
    const exit = Effect.map(eventually("the proxy has ended", () => status !== undefined), () => status)
    yield* eventually(
      "the proxy is listening",
      () => status !== undefined || stdout.includes("Press Ctrl-C to stop")
    )
    if (status !== undefined) return yield* Effect.dieMessage(`the proxy ended: ${stdout}${stderr}`)
    const log = () => stderr.split("\n").slice(0, -1).map(messageOf)
    const urlAfter = (words: string) => new RegExp(`${words} +(http://\\S+)`).exec(stdout)?.[1] ?? ""
    return {
      port: Number(new URL(urlAfter("is listening at")).port),
      adminOrigin: urlAfter("status page:"),
      signal: (name) => Effect.sync(() => void child.kill(name)),
      hasExited: () => status !== undefined,
      exit,
      log,
      waitForLog: (words, since = 0) => {
        const find = () => log().slice(since).find((message) => message.includes(words))
        return Effect.map(eventually(`log line: ${words}`, () => find() !== undefined), () => find() ?? "")
      }
    }
  })

/** Whether a server is ready for requests. */
export const isReady = (port: number): Effect.Effect<boolean> =>
  Effect.match(sendRequest(port, "/readyz"), {
    onFailure: () => false,
    onSuccess: ({ status }) => status === 200
  })

/** Whether connections are accepted. */
export const isListening = (port: number): Effect.Effect<boolean> =>
  Effect.isSuccess(Effect.scoped(openConnection(port)))

/** Waits until connections are refused. */
export const notListening = (port: number): Effect.Effect<void, ConditionTimeout> =>
  eventually(`port ${port} is closed`, Effect.map(isListening(port), (isListening) => !isListening))

/** Waits until a proxy announces that it will stop. */
export const notReady = (port: number): Effect.Effect<void, ConditionTimeout> =>
  eventually("the readiness probe fails", Effect.map(isReady(port), (ready) => !ready))
