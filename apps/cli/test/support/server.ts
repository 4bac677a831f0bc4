/** A sandbox server on a free port of the loopback interface. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Server from "@blockquarry/sandbox/Server"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Starts a server. Returns the environment variables for it. */
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
