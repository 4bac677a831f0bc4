/** `quarry sandbox serve` */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ServerFailed, Usage } from "../Failure.ts"
import { type Call, type Entry, single } from "../line/Entry.ts"
import { Screen } from "../Screen.ts"

const integer = (call: Call, name: string, fallback: number, most: number): Either.Either<number, Usage> => {
  const text = single(call.values, name)
  if (text === undefined) return Either.right(fallback)
  return /^\d{1,10}$/.test(text) && Number(text) <= most
    ? Either.right(Number(text))
    : Either.left(
      new Usage({
        problem: `--${name}: expected a whole number from 0 to ${most}, got ${JSON.stringify(text)}`,
        hint: null
      })
    )
}

export const sandboxServe: Entry = {
  words: ["sandbox", "serve"],
  operation: null,
  changes: false,
  api: null,
  summary: "Serve the sandbox over HTTP until Ctrl-C: the whole service, with invented data",
  arguments: [],
  options: [
    {
      name: "port",
      value: "number",
      description: "port to listen on; 0 takes a free one (4000 where nothing is said)"
    },
    { name: "host", value: "address", description: "address to listen on (127.0.0.1 where nothing is said)" },
    { name: "seed", value: "number", description: "another seed makes other data (1 where nothing is said)" },
    {
      name: "scale",
      value: "number",
      description: "how many transfers the busiest token has (10000 where nothing is said)"
    }
  ],
  examples: ["", "--port 0 --seed 7"],
  run: (call) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const options = yield* Either.all({
        port: integer(call, "port", 4000, 65_535),
        seed: integer(call, "seed", 1, 4_294_967_295),
        scale: integer(call, "scale", 10_000, 10_000_000)
      })
      const host = single(call.values, "host") ?? "127.0.0.1"
      const [server, { layerSandbox, Sandbox }] = yield* Effect.promise(() =>
        Promise.all([import("@blockquarry/sandbox/Server"), import("@blockquarry/sandbox/Sandbox")])
      )
      yield* Effect.gen(function*() {
        const running = yield* server.serve({ host, port: options.port }).pipe(
          Effect.mapError(({ code }) =>
            new ServerFailed({ problem: `cannot listen on ${host}:${options.port}: ${code}` })
          )
        )
        const lines = server.banner(running, yield* Sandbox)
        yield* screen.print(`${lines.join("\n")}\n`)
        yield* Effect.never
      }).pipe(Effect.scoped, Effect.provide(layerSandbox(options)))
    })
}
