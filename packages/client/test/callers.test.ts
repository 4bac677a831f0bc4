/** What callers of one client give runs in the async context of each. */
import { createClient } from "@blockquarry/client"
import { AsyncLocalStorage } from "node:async_hooks"
import * as Http from "node:http"
import { describe, expect, it } from "vitest"
import { isFull, sample } from "../../core/test/support/sample.ts"
import { callAtOnce, makeUpstream, policies } from "./support/Callers.ts"

const callers = isFull ? 100 : 20

describe("with many calls at once,", () => {
  it.each(sample(Object.keys(policies), 2))(
    "%s resumes every caller in its own async context",
    async (policy) => {
      const upstream = makeUpstream()
      const server = Http.createServer((request, response) => {
        const [status, body] = upstream(new URL(request.url ?? "", "http://server.test"))
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const address = server.address()
      const port = typeof address === "object" ? address?.port : null
      const result = await callAtOnce(
        createClient,
        `http://127.0.0.1:${port}`,
        policy,
        new AsyncLocalStorage<number>(),
        callers
      )
      server.closeAllConnections()
      server.close()
      expect(result).toMatchObject({ answers: policy === "streams" ? 4 * callers : callers, elsewhere: 0 })
      expect(result.ran).toBeGreaterThan(2 * callers)
    }
  )
})
