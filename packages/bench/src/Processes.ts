/** Child processes, which are stopped when a scope closes, and their resource usage. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, execFile, fork, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** The path of a file of this repository. Valid for the sources and for the bundle, which are one folder deep. */
export const pathTo = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** The bundle of this package, which processes of benchmarks run. */
export const benchPath = pathTo("packages/bench/dist/bench.js")

/** A temporary directory that is removed when the scope closes. */
export const makeTemporaryDirectory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "quarry-bench-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** Starts a Node.js program that replies to messages, and disconnects from it when the scope closes. */
export const forkProcess = (
  file: string,
  args: ReadonlyArray<string> = [],
  nodeOptions: ReadonlyArray<string> = []
) =>
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
    /** Sends a message and returns the reply. Supports one message at a time. */
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

/** A program of Node.js. */
export interface ProgramSpec {
  readonly args: ReadonlyArray<string>
  /** Default: only `PATH`. */
  readonly env?: Readonly<Record<string, string>>
}

const environmentOf = (env: ProgramSpec["env"]) => ({ PATH: process.env["PATH"], ...env })

/** Runs a program to its end. Returns its output, and its wall time from start to exit in microseconds. */
export const runProgram = ({ args, env }: ProgramSpec) =>
  Effect.promise(async () => {
    const options = { encoding: "buffer", env: environmentOf(env), maxBuffer: 2 ** 30 } as const
    const startedAt = performance.now()
    const { stdout } = await promisify(execFile)(process.execPath, args, options)
    return { output: stdout, wall: (performance.now() - startedAt) * 1000 }
  })

/** Starts a program and waits until its output matches `pattern`. Returns this output, and discards later output. */
export const startProgram = ({ args, env }: ProgramSpec, pattern: RegExp) =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(process.execPath, args, {
          env: environmentOf(env),
          stdio: ["ignore", "pipe", "pipe"]
        })
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
      const streams = [child.stdout, child.stderr]
      const onOutput = (chunk: Buffer) => {
        output += chunk.toString()
        if (!pattern.test(output)) return
        for (const stream of streams) stream?.off("data", onOutput).resume()
        resume(Effect.void)
      }
      for (const stream of streams) stream?.on("data", onOutput)
      child.once("error", (error) => resume(Effect.die(error)))
      child.once("exit", () => resume(Effect.dieMessage(`${args.join(" ")} exited: ${output}`)))
    })
    return { pid: child.pid ?? 0, output }
  })

const stopProgram = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** The CPU time of all threads of a process, in microseconds. Linux only, like `resourceUsage`. */
export const processCpuTime = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")
    return sum + Number(nanoseconds) / 1000
  }, 0)

/** The memory and open files of a process. */
export interface ResourceUsage {
  /** Resident set size in bytes. */
  readonly resident: number
  /** Open file descriptors, including sockets. */
  readonly files: number
}

export const resourceUsage = (pid: number): ResourceUsage => ({
  resident: Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024,
  files: readdirSync(`/proc/${pid}/fd`).length
})
