/** Servers on free ports of the loopback interface. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Server from "@blockquarry/sandbox/Server"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { once } from "node:events"
import type { Server as HttpServer } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** Starts a server, which is closed after the test. Returns its origin. */
export const listen = async (server: HttpServer): Promise<string> => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port }: AddressInfo = Object(server.address())
  return `http://127.0.0.1:${port}`
}

/** Starts a sandbox. Returns the environment variables for it. */
export const serveSandbox: Effect.Effect<Readonly<Record<string, string>>, never, Scope.Scope> = Effect.gen(
  function*() {
    const { urls: { data, ledger, ledgerTestnet, streams } } = yield* Effect.orDie(
      Server.serve({ host: "127.0.0.1", port: 0 })
    )
    return {
      QUARRY_API_KEY: Sandbox.apiKey,
      QUARRY_BASE_URL: data,
      QUARRY_STREAMS_URL: streams,
      QUARRY_LEDGER_URL: ledger,
      QUARRY_LEDGER_TESTNET_URL: ledgerTestnet
    }
  }
).pipe(Effect.provide(Sandbox.layerSandbox({ scale: 200 })))
