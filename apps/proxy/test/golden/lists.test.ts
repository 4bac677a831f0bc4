/** Records of whole lists: responses, failures, resumption, and shutdown. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { describe, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import * as Wire from "../hostile/rawHttp.ts"
import { testClient } from "../support/proxy.ts"
import * as Clock from "./support/clock.ts"
import { examples, lineText, matches, named, recorder, requestText, start, until } from "./support/golden.ts"

const { token, wallet } = examples

const data = "/all/api/v2.2"

const transfers = `${data}/${wallet}/erc20/transfers?chain=eth&limit=100`

const lastLine = (responses: ReadonlyArray<Wire.ParsedResponse>): unknown =>
  JSON.parse(responses[0]?.body.trimEnd().split("\n").at(-1) ?? "")

const cursorOf = (responses: ReadonlyArray<Wire.ParsedResponse>): string =>
  /"cursor":"([^"]+)"/.exec(JSON.stringify(lastLine(responses)))?.[1] ?? ""

describe("golden records", () => {
  it("of lists", async () => {
    const { send, end, proxy, replay } = recorder("lists")
    await replay("anonymous access from this machine, without a cache")
    for (
      const [title, upstream] of [
        ["400 at once", [{ status: 400, body: `{"message":"no"}` }]],
        ["404 at once", [{ status: 404, body: `{"message":"nothing"}` }]],
        ["a page of another shape", [{ status: 200, body: "{\"records\":[]}" }]],
        ["a page that contains the key", [{
          status: 200,
          body: `{"result":["sandbox-good-key"],"cursor":null}`
        }]]
      ] as const
    ) {
      await proxy("")
      await send(`the first page: ${title}`, transfers, { upstream })
    }
    for (
      const [title, second] of [
        ["422", [{ status: 422, body: `{"message":"no"}` }]],
        ["429 at every attempt", Array(30).fill({ status: 429, headers: { "retry-after": "30" } })],
        ["nothing", Array(10).fill("silent")],
        ["503 once", [{ status: 503 }]]
      ] as const
    ) {
      await proxy("")
      await send(`the second page: ${title}`, transfers, { upstream: ["sandbox", ...second] })
    }
    const page = (cursor: string, block: number) => ({
      status: 200,
      body: JSON.stringify({
        cursor,
        result: [{ transaction_hash: `0x${String(block).padStart(64, "0")}`, block_number: String(block) }]
      })
    })
    await proxy("the upstream repeats a cursor")
    await send("the list", `${data}/erc20/${token}/transfers?chain=eth`, {
      upstream: [page("a", 3), page("a", 2), page("a", 1)]
    })
    await send("a list paginated by block", transfers, {
      upstream: [page("a", 3), page("a", 2), page("a", 1)]
    })
    await proxy("a list that fails and is resumed")
    const broken = await send("the list", transfers, { upstream: ["sandbox", { status: 422 }] })
    await send("the rest, with the cursor", `${transfers}&cursor=${encodeURIComponent(cursorOf(broken))}`)
    await proxy("a daily quota for two pages", {
      config: { clients: [testClient("small", "of-small", { dailyQuota: 120 })] }
    })
    await send("the list", transfers, { headers: ["X-API-Key: of-small"] })
    await proxy("a rate limit for one page in ten seconds", {
      config: { clients: [testClient("slow", "of-slow", { rateLimit: { limit: 5, window: 10_000 } })] }
    })
    await send("the list", transfers, { headers: ["X-API-Key: of-slow"] })
    await proxy("with a cache", { config: { cache: defaults.cache } })
    await send("the list", transfers)
    await send("the list from the cache", transfers)
    await send("the list, with no-cache", transfers, { headers: ["Cache-Control: no-cache"] })
    await proxy("an end line or none")
    await send("none", `${data}/wallets/${wallet}/nfts/trades?chain=eth&end=false`)
    await send("neither", `${transfers}&end=maybe`)
    await end()
  })

  it("of a shutdown", async () => {
    const proxied = await start({
      config: { shutdown: { delay: Duration.seconds(1), timeout: Duration.seconds(4) } }
    })
    const { clock, lines, running, upstream } = proxied
    const text: Array<string> = []
    const one = async (title: string, target: string, port = running.port) => {
      const stream = await Effect.runPromise(
        Wire.exchange(port, Wire.bytes(requestText(target, { bare: true, headers: ["Host: localhost"] })))
      )
      text.push(`=== ${title}\n\n${target}\n\n${normal(stream)}\n`)
    }
    upstream.script(["sandbox", "held"])
    const listing = Effect.runPromise(
      Wire.exchange(running.port, Wire.bytes(requestText(transfers, {})))
    )
    await until("the second page is requested", () => upstream.count() === 2)
    const stopping = proxied.stop()
    await Clock.turns(100)
    await one("readiness during the shutdown delay", "/readyz")
    await one("liveness during the shutdown delay", "/livez")
    await one("a request that is still accepted", `/api/v2.2/erc20/${token}/price?chain=eth`)
    clock.moveTo(clock.now() + 1000)
    await Clock.turns(100)
    clock.moveTo(clock.now() + 2000)
    await Clock.turns(100)
    upstream.release()
    await until("the list has failed", () => lines.some((line) => line.includes("shutting-down")))
    clock.release()
    text.push(`=== a list that ends between two pages\n\n${transfers}\n\n${normal(await listing)}\n`)
    await stopping
    await matches(text.join("\n"), "shutdown.http")
    await matches(`${lines.map((line) => normalLine(lineText(line))).join("\n")}\n`, "shutdown.log.ndjson")
  })
})

const normalLine = (text: string): string => named(text, [])

/** Returns the status, the relevant headers, and the number of lines and the last line of the body. */
const normal = (stream: string): string => {
  const { incomplete, responses } = Wire.parseResponses(stream)
  return [...responses, ...(incomplete === undefined ? [] : [incomplete])].map(
    ({ body, headers, status }) => {
      const lines = normalLine(body).trimEnd().split("\n")
      const shownHeaders = headers.filter(([name]) =>
        !/^(date|x-request-id|content-length|etag)$/i.test(name)
      )
        .map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort()
      const shown = lines.length === 1 ? lines : [`(${lines.length - 1} lines)`, lines.at(-1) ?? ""]
      return [`-> ${status}`, ...shownHeaders, "", ...shown.map((line) => line.slice(0, 400)), ""].join("\n")
    }
  ).join("\n") + (incomplete === undefined ? "" : "\nthe connection closes before the last chunk\n")
}
