/** Servers on the loopback interface: the sandbox, and one whose responses a test writes. */
import { apiKey, Sandbox, type SandboxService } from "@blockquarry/sandbox/Sandbox"
import * as SandboxServer from "@blockquarry/sandbox/Server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import * as Http from "node:http"
import { afterAll, afterEach, beforeAll } from "vitest"
import { listen, reservedPort } from "../../../http/test/support/Server.ts"

export interface RunningSandbox {
  readonly apiKey: string
  readonly baseUrl: string
  readonly sandbox: SandboxService
}

/** Starts the sandbox before the tests of a file. */
export const useSandbox = (): () => RunningSandbox => {
  const scope = Effect.runSync(Scope.make())
  let running: RunningSandbox | undefined
  beforeAll(async () => {
    const context = await Effect.runPromise(Layer.buildWithScope(SandboxServer.layer(), scope))
    const { origin } = Context.get(context, SandboxServer.SandboxServer)
    running = { apiKey, baseUrl: origin, sandbox: Context.get(context, Sandbox) }
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return () => {
    if (running === undefined) throw new Error("the sandbox has not started")
    return running
  }
}

export interface Server {
  readonly url: string
  /** The paths of the requests so far. */
  readonly paths: ReadonlyArray<string>
  /** Resolves when `count` requests have arrived whose paths contain `text`. Default: 1. */
  readonly reached: (text: string, count?: number) => Promise<void>
  /** Resolves when no request is in flight. */
  readonly idle: () => Promise<void>
}

/** Returns the body of a response, a promise of it, or null for a response that never ends. */
export type Script = (url: URL, inFlight: number) => unknown

const scopes: Array<Scope.CloseableScope> = []

const scopeOfTest = (): Scope.Scope => {
  const scope = Effect.runSync(Scope.make())
  scopes.push(scope)
  return scope
}

afterEach(async () => {
  for (const scope of scopes.splice(0)) await Effect.runPromise(Scope.close(scope, Exit.void))
})

/** Returns the URL of a port without a server, until the test ends. */
export const unusedUrl = async (): Promise<string> =>
  `http://127.0.0.1:${await Effect.runPromise(Scope.extend(reservedPort, scopeOfTest()))}`

/** Starts a server, which stops after the test. */
export const startServer = async (script: Script): Promise<Server> => {
  const paths: Array<string> = []
  let inFlight = 0
  const server = Http.createServer(async (request, response) => {
    inFlight++
    const url = new URL(request.url ?? "", "http://server.test")
    paths.push(url.pathname + url.search)
    server.emit("reached")
    response.on("close", () => {
      inFlight--
      server.emit("ended")
    })
    const body = await script(url, inFlight)
    if (body === null) return
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(body))
  })
  const host = await Effect.runPromise(Scope.extend(listen(server), scopeOfTest()))
  return {
    url: `http://${host}`,
    paths,
    reached: async (text, count = 1) => {
      while (paths.filter((path) => path.includes(text)).length < count) await once(server, "reached")
    },
    idle: async () => {
      while (inFlight > 0) await once(server, "ended")
    }
  }
}
