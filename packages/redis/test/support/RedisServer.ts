/** Real Redis servers on this machine, each with its own port and folder. They stop when the scope closes. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect as connectTls } from "node:tls"
import type * as Certificate from "../../../http/test/support/Certificate.ts"
import { reservedPort } from "../../../http/test/support/Server.ts"

/** `redis-server`, or another server with its protocol, such as `valkey-server`. */
const command = process.env["QUARRY_REDIS_SERVER"] ?? "redis-server"

const notInstalled = `${command} is not installed`

/** The program, or undefined if it is not installed. */
export const program = spawnSync(command, ["--version"]).error === undefined ? command : undefined

/** Appended to the name of a suite that is skipped. */
export const skipReason = program === undefined ? ` (skipped: ${notInstalled})` : ""

/** The server is not installed, did not start, or replied unexpectedly. */
export class Unavailable extends Data.TaggedError("Unavailable")<{ readonly message: string }> {}

export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Starts the server after a stop, without data. */
  readonly start: Effect.Effect<void, Unavailable>
  /** Kills the server. */
  readonly stop: Effect.Effect<void>
  /** Suspends the process: it still accepts connections but does not reply. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  readonly restart: Effect.Effect<void, Unavailable>
}

export interface Options {
  /** Default: `redis-server`, or the one of the variable `QUARRY_REDIS_SERVER`. */
  readonly program?: string
  readonly password?: string
  readonly args?: ReadonlyArray<string>
  /** A configuration file that the server can write, which a Sentinel requires. */
  readonly config?: string
  /** Only connections with TLS are accepted. */
  readonly certificate?: Certificate.Certificate
}

/** Succeeds if a server replies to `PING`. */
const waitForReply = (
  port: number,
  certificate: Certificate.Certificate | undefined
): Effect.Effect<void, Unavailable> =>
  Effect.async((resume) => {
    const server = { port, host: "127.0.0.1" }
    const ping = () => socket.write("PING\r\n")
    const socket = certificate === undefined
      ? connect(server, ping)
      : connectTls({ ...server, ...certificate, rejectUnauthorized: false }, ping)
    socket.once("data", (reply) => {
      socket.destroy()
      resume(/PONG|NOAUTH/.test(String(reply)) ? Effect.void : new Unavailable({ message: String(reply) }))
    })
    socket.once("error", (error) => resume(new Unavailable({ message: error.message })))
    return Effect.sync(() => socket.destroy())
  })

const exited = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
  })

const launch = (file: string, port: number, folder: string, options: Options) =>
  Effect.gen(function*() {
    const { args = [], certificate, config = "", password } = options
    const certFile = join(folder, "cert.pem")
    const keyFile = join(folder, "key.pem")
    if (certificate !== undefined) {
      writeFileSync(certFile, certificate.cert)
      writeFileSync(keyFile, certificate.key)
    }
    writeFileSync(join(folder, "redis.conf"), config)
    const child = spawn(file, [
      join(folder, "redis.conf"),
      ...["--bind", "127.0.0.1", "--dir", folder],
      ...(certificate === undefined ? ["--port", String(port)] : [
        ...["--port", "0", "--tls-port", String(port), "--tls-auth-clients", "no"],
        ...["--tls-cert-file", certFile, "--tls-key-file", keyFile, "--tls-ca-cert-file", certFile]
      ]),
      // Disables persistence
      ...["--save", "", "--appendonly", "no"],
      ...(password === undefined ? [] : ["--requirepass", password]),
      ...args
    ], { stdio: "ignore" })
    yield* waitForReply(port, certificate).pipe(
      Effect.retry(Schedule.spaced("10 millis")),
      Effect.raceFirst(
        Effect.zipRight(exited(child), new Unavailable({ message: `${command} exited (port ${port})` }))
      )
    )
    return child
  })

/** Starts a server and waits until it replies. */
export const make = (options: Options = {}): Effect.Effect<RedisServer, Unavailable, Scope.Scope> =>
  Effect.gen(function*() {
    const file = options.program ?? program
    if (file === undefined) return yield* new Unavailable({ message: notInstalled })
    const port = yield* reservedPort
    const folder = mkdtempSync(join(tmpdir(), "quarry-redis-"))
    let child: ChildProcess | undefined
    // The server must not outlive the test process, even if that is aborted
    const kill = () => child?.kill("SIGKILL")
    process.once("exit", kill)
    const signal = (name: NodeJS.Signals) => Effect.sync(() => void child?.kill(name))
    const stop = Effect.suspend(() => {
      if (child === undefined) return Effect.void
      kill()
      return exited(child)
    })
    const start = Effect.map(launch(file, port, folder, options), (launched) => {
      child = launched
    })
    yield* Effect.addFinalizer(() =>
      Effect.map(stop, () => {
        process.off("exit", kill)
        rmSync(folder, { recursive: true, force: true })
      })
    )
    yield* start
    return {
      port,
      url: `redis://127.0.0.1:${port}`,
      start,
      stop,
      pause: signal("SIGSTOP"),
      resume: signal("SIGCONT"),
      restart: Effect.zipRight(stop, start)
    }
  })
