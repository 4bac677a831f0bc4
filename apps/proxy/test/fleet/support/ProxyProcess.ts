/** The program as operating system processes, started with its command line. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import type { SpawnOptionsWithoutStdio } from "node:child_process"
import { openConnection } from "../../hostile/rawHttp.ts"
import { Program, quarryProxy } from "../../support/Process.ts"
import { sendRequest } from "../../support/proxy.ts"
import { type ConditionTimeout, eventually } from "./Eventually.ts"

export interface ProxyProcess {
  readonly port: number
  /** The URL of the admin listener; empty if disabled. */
  readonly adminOrigin: string
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  readonly hasExited: () => boolean
  readonly exit: Effect.Effect<Program["status"]>
  /** The messages of the log so far. */
  readonly log: () => ReadonlyArray<string>
  /** Waits for the first message with this text after `since` messages. */
  readonly waitForLog: (words: string, since?: number) => Effect.Effect<string>
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
  file = quarryProxy,
  options: Pick<SpawnOptionsWithoutStdio, "uid" | "gid"> = {}
): Effect.Effect<ProxyProcess, never, Scope.Scope> =>
  Effect.gen(function*() {
    const exitOf = (program: Program) =>
      Effect.map(Effect.promise(() => program.ended()), () => program.status)
    const program = yield* Effect.acquireRelease(
      Effect.sync(() => new Program([process.execPath, file, ...args], { ...options, env })),
      (program) => Effect.zipRight(Effect.sync(() => program.signal("SIGKILL")), exitOf(program))
    )
    yield* Effect.promise(() => program.until(({ stdout }) => stdout.includes("Press Ctrl-C to stop")))
    const log = () => program.written.stderr.split("\n").slice(0, -1).map(messageOf)
    const urlAfter = (words: string) =>
      new RegExp(`${words} +(http://\\S+)`).exec(program.written.stdout)?.[1] ?? ""
    return {
      port: Number(new URL(urlAfter("is listening at")).port),
      adminOrigin: urlAfter("status page:"),
      signal: (name) => Effect.sync(() => program.signal(name)),
      hasExited: () => program.status.code !== null || program.status.signal !== null,
      exit: exitOf(program),
      log,
      waitForLog: (words, since = 0) => {
        const find = () => log().slice(since).find((message) => message.includes(words))
        return Effect.map(Effect.promise(() => program.until(() => find() !== undefined)), () => find() ?? "")
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
