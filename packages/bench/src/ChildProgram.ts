/** Child processes that are stopped when a scope closes. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, execFile, fork, spawn } from "node:child_process"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"

/** The path of a file of this repository. Valid for the sources and for the bundle, which are one folder deep. */
export const pathTo = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** A running Node.js program that replies to messages. */
export interface ForkedProcess {
  readonly pid: number
  /** Sends a message and returns the reply. Supports one message at a time. */
  readonly sendMessage: (message: object) => Effect.Effect<unknown>
}

/** Starts a Node.js program, and disconnects from it when the scope closes. */
export const forkProcess = (
  file: string,
  args: ReadonlyArray<string> = [],
  nodeOptions: ReadonlyArray<string> = []
): Effect.Effect<ForkedProcess, never, Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        // Without the flags of this process, the child is not profiled. Its standard output is not needed
        const child = fork(file, args, {
          execArgv: [...nodeOptions],
          stdio: ["ignore", "pipe", "inherit", "ipc"]
        })
        child.stdout?.resume()
        return child
      }),
      (child) => Effect.sync(() => child.connected && child.disconnect())
    )
    const sendMessage = (message: object) =>
      Effect.async<unknown>((resume) => {
        const onMessage = (reply: unknown) => {
          child.off("exit", onExit)
          resume(Effect.succeed(reply))
        }
        const onExit = () => resume(Effect.dieMessage(`${file} exited`))
        child.once("message", onMessage).once("exit", onExit)
        child.send(message)
      })
    return { pid: child.pid ?? 0, sendMessage }
  })

/** A running program of this package that listens on a port. */
export interface ForkedProgram {
  readonly pid: number
  readonly port: number
  /** Sends an empty message and returns the reply. */
  readonly sendMessage: Effect.Effect<unknown>
}

/** Starts a program of this package, sends it its first message, and receives its port. */
export const forkProgram = (
  program: "stubServer" | "referenceServers" | "faultyServer",
  message: object,
  nodeOptions: ReadonlyArray<string> = []
): Effect.Effect<ForkedProgram, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { pid, sendMessage } = yield* forkProcess(
      pathTo(`packages/bench/${program}.mjs`),
      [],
      nodeOptions
    )
    return { pid, port: Number(yield* sendMessage(message)), sendMessage: sendMessage({}) }
  })

/** Runs a Node.js program to its end and returns its standard output. */
export const runProgram = (file: string, args: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.async((resume) => {
    execFile(
      process.execPath,
      [file, ...args],
      (error, stdout) => resume(error === null ? Effect.succeed(stdout) : Effect.die(error))
    )
  })

/** A running external program. */
export interface SpawnedProgram {
  readonly pid: number
  /** Its output until it listened. */
  readonly output: string
}

export interface ProgramSpec {
  readonly name: string
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Starts a program and waits until its output matches `pattern`. Discards later output. */
export const spawnProgram = (
  { args, env, file, name }: ProgramSpec,
  pattern: RegExp
): Effect.Effect<SpawnedProgram, never, Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] })
        // The child must not outlive this process
        const kill = () => child.kill("SIGKILL")
        process.once("exit", kill)
        child.once("exit", () => process.off("exit", kill))
        return child
      }),
      stopProgram
    )
    let output = ""
    yield* Effect.async<void>((resume) => {
      const onOutput = (chunk: Buffer) => {
        output += chunk.toString()
        if (!pattern.test(output)) return
        child.stdout.off("data", onOutput).resume()
        child.stderr.off("data", onOutput).resume()
        resume(Effect.void)
      }
      child.stdout.on("data", onOutput)
      child.stderr.on("data", onOutput)
      child.once("error", ({ message }) => resume(Effect.dieMessage(`cannot start ${name}: ${message}`)))
      child.once("exit", () => resume(Effect.dieMessage(`${name} exited before listening: ${output}`)))
    })
    return { pid: child.pid ?? 0, output }
  })

const stopProgram = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** Finds an unused port. */
export const freePort: Effect.Effect<number> = Effect.async((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const bound = server.address()
    server.close(() => resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : 0)))
  })
})
