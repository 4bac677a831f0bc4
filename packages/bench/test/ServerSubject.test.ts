/** Servers that do not do the expected work are errors. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { forkProgram } from "../src/ChildProgram.ts"
import * as ServerSubject from "../src/ServerSubject.ts"
import { startStubServer } from "../src/StubServer.ts"

const document = { path: "/document", body: "{\"value\":42}" }

/** Measures a reference server. `storedBody` is the body of servers that do not forward requests. */
const runBatches = (server: string, pattern: ServerSubject.LoadPattern, storedBody = document.body) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const stubServer = yield* startStubServer({ [document.path]: document.body })
    const { pid, port } = yield* forkProgram("referenceServers", {
      server,
      upstreamUrl: stubServer.baseUrl,
      bodies: { [document.path]: storedBody },
      headers: { "content-type": "application/json" }
    })
    const { batch, clock } = ServerSubject.makeSubject(
      { name: server, pid, port },
      document,
      pattern,
      stubServer
    )
    const correct = [yield* batch(1), yield* batch(500)]
    return { correct, cpuTime: yield* clock ?? Effect.succeed(0) }
  })))

const isLinux = process.platform === "linux"

it.runIf(isLinux).each(["pipe", "fastifyProxy"])("%s forwards every request", async (server) => {
  const { correct, cpuTime } = await runBatches(server, ServerSubject.cacheMisses())
  expect(correct).toEqual([1, 500])
  expect(cpuTime).toBeGreaterThan(0)
})

it.runIf(isLinux).each(["buffer", "fastifyBuffer"])("%s sends no upstream requests", async (server) => {
  expect((await runBatches(server, ServerSubject.cacheHits)).correct).toEqual([1, 500])
})

it("a server that sends upstream requests for cache hits is an error", async () => {
  await expect(runBatches("pipe", ServerSubject.cacheHits)).rejects.toThrow(
    "pipe sent 500 upstream requests for 500 requests, expected 0 to 6"
  )
})

it("a server that sends no upstream requests for cache misses is an error", async () => {
  await expect(runBatches("buffer", ServerSubject.cacheMisses())).rejects.toThrow(
    "buffer sent 0 upstream requests for 1 requests, expected 1"
  )
})

it("another document of the same length is an error", async () => {
  await expect(runBatches("buffer", ServerSubject.cacheHits, "{\"value\":43}")).rejects.toThrow(
    "buffer: unexpected response HTTP/1.1 200"
  )
})
