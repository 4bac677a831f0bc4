/** Processes are watched: who does not do the work is not measured. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { forkProgram } from "../src/ChildProgram.ts"
import * as ServerSubject from "../src/ServerSubject.ts"
import { startStubServer } from "../src/StubServer.ts"

const document = { path: "/answer", body: "{\"answer\":42}" }

/** Lets a peer take part before a service; it has `kept`, where it asks nobody. */
const runBatches = (server: string, manner: ServerSubject.LoadPattern, kept = document.body) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const service = yield* startStubServer({ [document.path]: document.body })
    const { pid, port } = yield* forkProgram("referenceServers", {
      server,
      upstreamUrl: service.baseUrl,
      bodies: { [document.path]: kept },
      headers: { "content-type": "application/json" }
    })
    const { batch, clock } = ServerSubject.makeSubject({ name: server, pid, port }, document, manner, service)
    const got = [yield* batch(1), yield* batch(500)]
    return { got, spent: yield* clock ?? Effect.succeed(0) }
  })))

const isLinux = process.platform === "linux"

it.runIf(isLinux).each(["pipe", "fastifyProxy"])("%s passes on every question", async (peer) => {
  const { got, spent } = await runBatches(peer, ServerSubject.cacheMisses())
  expect(got).toEqual([1, 500])
  expect(spent).toBeGreaterThan(0)
})

it.runIf(isLinux).each(["buffer", "fastifyBuffer"])("%s asks nobody", async (peer) => {
  expect((await runBatches(peer, ServerSubject.cacheHits)).got).toEqual([1, 500])
})

it("who should have the answer does not ask for it", async () => {
  await expect(runBatches("pipe", ServerSubject.cacheHits)).rejects.toThrow(
    "pipe asked the service 500 times for 500 requests, expected 0 to 6"
  )
})

it("who should ask does not answer from what it has", async () => {
  await expect(runBatches("buffer", ServerSubject.cacheMisses())).rejects.toThrow(
    "buffer asked the service 0 times for 1 requests, expected 1"
  )
})

it("another answer of the same length is none", async () => {
  await expect(runBatches("buffer", ServerSubject.cacheHits, "{\"answer\":43}")).rejects.toThrow(
    "buffer answered HTTP/1.1 200"
  )
})
