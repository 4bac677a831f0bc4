/** `quarry sandbox serve` */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type CommandInvocation, type CommandSpec, singleValue } from "../args/CommandSpec.ts"
import { ServerStartError, UsageError } from "../CommandError.ts"
import { CommandTerminal } from "../Terminal.ts"

const integerOption = (
  invocation: CommandInvocation,
  name: string,
  fallback: number,
  max: number
): Either.Either<number, UsageError> => {
  const text = singleValue(invocation.values, name)
  if (text === undefined) return Either.right(fallback)
  return /^\d{1,10}$/.test(text) && Number(text) <= max
    ? Either.right(Number(text))
    : Either.left(
      new UsageError({
        reason: `--${name}: expected a whole number from 0 to ${max}, got ${JSON.stringify(text)}`,
        hint: null
      })
    )
}

export const sandboxServe: CommandSpec = {
  path: ["sandbox", "serve"],
  operation: null,
  isUpdate: false,
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
  run: (invocation) =>
    Effect.gen(function*() {
      const screen = yield* CommandTerminal
      const options = yield* Either.all({
        port: integerOption(invocation, "port", 4000, 65_535),
        seed: integerOption(invocation, "seed", 1, 4_294_967_295),
        scale: integerOption(invocation, "scale", 10_000, 10_000_000)
      })
      const host = singleValue(invocation.values, "host") ?? "127.0.0.1"
      const [server, { layerSandbox, Sandbox }] = yield* Effect.promise(() =>
        Promise.all([import("@blockquarry/sandbox/Server"), import("@blockquarry/sandbox/Sandbox")])
      )
      yield* Effect.gen(function*() {
        const running = yield* server.serve({ host, port: options.port }).pipe(
          Effect.mapError(({ code }) =>
            new ServerStartError({ reason: `cannot listen on ${host}:${options.port}: ${code}` })
          )
        )
        const lines = server.banner(running, yield* Sandbox)
        yield* screen.print(`${lines.join("\n")}\n`)
        yield* Effect.never
      }).pipe(Effect.scoped, Effect.provide(layerSandbox(options)))
    })
}
