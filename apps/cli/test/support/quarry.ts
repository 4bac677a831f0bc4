/** `quarry` in this process: over a sandbox, with captured streams. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { run } from "../../src/Cli.ts"
import { Network } from "../../src/Network.ts"
import { OutputClosed, Screen, type ScreenService } from "../../src/Screen.ts"

export interface Surroundings {
  readonly sandbox?: Sandbox.Options
  /** Settings of the environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Columns of the terminal; no terminal where it is left out. */
  readonly terminal?: number
  /** After how many writes nobody reads any more. */
  readonly closedAfter?: number
  /** Answers instead of the sandbox. */
  readonly client?: HttpClient.HttpClient
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  /** What each write wrote. */
  readonly writes: ReadonlyArray<string>
}

/** The settings with which a command reaches the sandbox by its address, as it would reach the service. */
export const reachable = {
  QUARRY_API_KEY: Sandbox.key,
  QUARRY_BASE_URL: Sandbox.urls.data,
  QUARRY_STREAMS_URL: Sandbox.urls.streams,
  QUARRY_LEDGER_URL: Sandbox.urls.ledger,
  QUARRY_LEDGER_TESTNET_URL: Sandbox.urls.ledgerTestnet
}

export const quarry = (argv: ReadonlyArray<string>, around: Surroundings = {}): Effect.Effect<Ran> =>
  Effect.gen(function*() {
    const writes: Array<string> = []
    let err = ""
    const surface = {
      isTerminal: around.terminal !== undefined,
      isColoured: false,
      columns: around.terminal ?? null
    }
    const screen: ScreenService = {
      out: surface,
      err: surface,
      print: (text) =>
        Effect.suspend(() => {
          if (writes.length >= (around.closedAfter ?? Infinity)) return new OutputClosed()
          writes.push(text)
          return Effect.void
        }),
      note: (text) => Effect.sync(() => void (err += `${text}\n`)),
      progress: () => Effect.void
    }
    const client = around.client === undefined
      ? Sandbox.layer(around.sandbox)
      : Layer.succeed(HttpClient.HttpClient, around.client)
    const code = yield* run(argv, "1.2.3").pipe(
      Effect.provideService(Screen, screen),
      Effect.provideService(Network, {
        real: Effect.succeed(client),
        sandbox: Effect.succeed({ client, settings: new Map(Object.entries(reachable)) })
      }),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(around.env ?? {}))))
    )
    return { code, out: writes.join(""), err, writes }
  })

/** The records of newline-delimited JSON. */
export const records = (out: string): ReadonlyArray<Record<string, unknown>> =>
  out.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
