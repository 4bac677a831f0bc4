/** Starts Anvil, a local Ethereum node, on a free port for one test file. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { createTestClient, http, publicActions, walletActions } from "viem"
import { foundry } from "viem/chains"

const require = createRequire(import.meta.url)

/** Returns the path of the binary. The script of the package would be a parent process that may outlive it. */
export const program = (): string | undefined => {
  const { platform } = process
  const cpu = process.arch === "x64" ? "amd64" : process.arch
  try {
    const inPackage = createRequire(require.resolve("@foundry-rs/anvil/package.json"))
    const path = inPackage.resolve(
      `@foundry-rs/anvil-${platform}-${cpu}/bin/anvil${platform === "win32" ? ".exe" : ""}`
    )
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}

const freePort = Effect.async<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const bound = server.address()
    server.close(() => resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : 0)))
  })
})

const makeAnvilClient = (port: number) =>
  createTestClient({
    mode: "anvil",
    chain: foundry,
    transport: http(`http://127.0.0.1:${port}`, { retryCount: 0 })
  })
    .extend(publicActions)
    .extend(walletActions)

export type AnvilClient = ReturnType<typeof makeAnvilClient>

/** A running node. Call `kill` at the end. */
export interface Anvil {
  readonly client: AnvilClient
  readonly kill: () => void
}

/** Starts a node and waits until it responds. */
export const start = (path: string): Effect.Effect<Anvil, unknown> =>
  Effect.gen(function*() {
    const port = yield* freePort
    const child = spawn(path, ["--port", `${port}`, "--host", "127.0.0.1", "--silent"], {
      stdio: "ignore"
    })
    // The node must not outlive the tests, even if they are aborted
    const kill = () => {
      process.off("exit", kill)
      child.kill("SIGKILL")
    }
    process.once("exit", kill)
    const client = makeAnvilClient(port)
    yield* Effect.tryPromise(() => client.getBlockNumber()).pipe(
      Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo("15 seconds"))),
      Effect.tapErrorCause(() => Effect.sync(kill))
    )
    return { client, kill }
  })
