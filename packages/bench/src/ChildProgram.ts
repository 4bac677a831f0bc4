/** Programs in processes of their own, for as long as a scope is open. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, fork, spawn } from "node:child_process"
import { createServer } from "node:net"

/** One of our own programs, which listens. */
export interface ForkedProgram {
  readonly pid: number
  readonly port: number
  /** Sends a message and gives the answer to it. One at a time. */
  readonly sendMessage: Effect.Effect<unknown>
}

/** Starts a program of this package, sends it the message it waits for, and gets the port that it listens at. */
export const forkProgram = (
  program: "stubServer" | "referenceServers" | "faultyServer",
  message: object
): Effect.Effect<ForkedProgram, never, Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      // The same place, whether seen from this file or from the bundle. Without our own flags: the child is not to be
      // profiled with us.
      Effect.sync(() => fork(new URL(`../${program}.mjs`, import.meta.url), { execArgv: [] })),
      (child) => Effect.sync(() => child.connected && child.disconnect())
    )
    const sendAndReceive = (message: object) =>
      Effect.async<unknown>((resume) => {
        const onMessage = (answer: unknown) => {
          child.off("exit", onExit)
          resume(Effect.succeed(answer))
        }
        const onExit = () => resume(Effect.dieMessage(`${program}.mjs ended`))
        child.once("message", onMessage).once("exit", onExit)
        child.send(message)
      })
    const port = Number(yield* sendAndReceive(message))
    return { pid: child.pid ?? 0, port, sendMessage: sendAndReceive({}) }
  })

/** A program that is not ours. */
export interface SpawnedProgram {
  readonly pid: number
  /** What it said, until it listened. */
  readonly output: string
}

export interface ProgramSpec {
  readonly name: string
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Starts a program and waits until what it says has `pattern` in it. From then on what it says is read and dropped,
 * for everybody alike.
 */
export const spawnProgram = (
  { args, env, file, name }: ProgramSpec,
  pattern: RegExp
): Effect.Effect<SpawnedProgram, never, Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] })
        // Nothing outlives us, not even where we are cut off.
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
      child.once("error", ({ message }) => resume(Effect.dieMessage(`${name} does not start: ${message}`)))
      child.once("exit", () => resume(Effect.dieMessage(`${name} ended before it listened: ${output}`)))
    })
    return { pid: child.pid ?? 0, output }
  })

const stopProgram = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** A port that nobody listens at. */
export const freePort: Effect.Effect<number> = Effect.async((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const bound = server.address()
    server.close(() => resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : 0)))
  })
})
