/** Profiles the three hot paths: a call of the library, a cache miss of the proxy and a cache hit of the proxy. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { forkProcess, pathTo } from "./ChildProgram.ts"
import { smallDocument } from "./Documents.ts"
import { type CpuProfile, formatShares, readProfile, sharesOf } from "./Profile.ts"
import * as QuarryProxy from "./QuarryProxy.ts"
import * as ServerSubject from "./ServerSubject.ts"
import { startStubServer } from "./StubServer.ts"
import * as TemporaryDirectory from "./TemporaryDirectory.ts"

/** Work for some seconds, so that the start of the process hardly counts. */
const iterations = { call: 30_000, miss: 15_000, hit: 100_000 }

/** Runs a process, which must end when the scope of `use` closes, and returns the shares in its profile. */
const profile = <E>(
  title: string,
  use: (nodeOptions: ReadonlyArray<string>) => Effect.Effect<unknown, E>
): Effect.Effect<string, E> =>
  Effect.scoped(Effect.gen(function*() {
    const directory = yield* TemporaryDirectory.makeTemporaryDirectory
    yield* use(["--cpu-prof", `--cpu-prof-dir=${directory}`])
    const read: Effect.Effect<CpuProfile, unknown> = Effect.suspend(() =>
      Option.fromNullable(readProfile(directory))
    )
    const written = yield* Effect.orDie(
      Effect.retry(read, Schedule.spaced("50 millis").pipe(Schedule.upTo("30 seconds")))
    )
    return formatShares(title, sharesOf(written))
  }))

const callPath = profile("typed page call, 91 KB", (nodeOptions) =>
  Effect.scoped(Effect.flatMap(
    forkProcess(pathTo("packages/bench/dist/bench.js"), ["worker", "call"], nodeOptions),
    ({ sendMessage }) =>
      sendMessage({
        comparison: "typed page call, 91 KB",
        subject: "DataApi.walletTransfers",
        iterations: iterations.call
      })
  )))

const proxyPath = (title: string, pattern: ServerSubject.LoadPattern, count: number) =>
  profile(title, (nodeOptions) =>
    Effect.scoped(Effect.gen(function*() {
      const stubServer = yield* startStubServer({ [smallDocument.path]: smallDocument.body })
      const server = yield* QuarryProxy.startSubject("quarry-proxy", stubServer.baseUrl, {}, nodeOptions)
      yield* ServerSubject.makeSubject(server, smallDocument, pattern, stubServer).batch(count)
      // Writes the profile when it has ended
      yield* Effect.sync(() => process.kill(server.pid, "SIGINT"))
      yield* Effect.sleep("3 seconds")
    })))

export const profileHotPaths: ReadonlyArray<Effect.Effect<string>> = [
  callPath,
  proxyPath("proxy, cache miss, 1.9 KB", ServerSubject.cacheMisses(), iterations.miss),
  proxyPath("proxy, cache hit, 1.9 KB", ServerSubject.cacheHits, iterations.hit)
]
