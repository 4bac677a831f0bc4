/// <reference lib="dom" />
/** The API reference: contents, and behavior in a browser. */
import { allOperations } from "@blockquarry/core/Operations"
import type { HttpResponse } from "@blockquarry/server/HttpResponse"
import { describe, expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaults } from "../../../src/config/Config.ts"
import * as DocsPage from "../../../src/docs/page/DocsPage.ts"
import { html } from "../../../src/docs/page/Html.ts"
import { errorCodes } from "../../../src/exchange/ErrorCode.ts"
import * as CostTable from "../../../src/quota/CostTable.ts"
import * as Chromium from "../../support/Chromium.ts"
import * as PageServer from "../../support/PageServer.ts"
import { examples } from "../../support/proxy.ts"

const pageWith = (values: Parameters<typeof DocsPage.render>[0]["examples"]) =>
  DocsPage.render({
    examples: values,
    passthrough: defaults.passthrough,
    costs: CostTable.make({
      ...defaults,
      costs: { ...defaults.costs, tokenPrice: { price: 7, rateCost: 7 } }
    })
  })
const markupOf = ({ body }: HttpResponse) => body instanceof Uint8Array ? new TextDecoder().decode(body) : ""
const page = pageWith(examples)
const markup = markupOf(page)

describe("the page", () => {
  it("lists every operation with its path and parameters", () => {
    for (const { docs, id, parameters, path } of allOperations) {
      const article = markup.slice(markup.indexOf(`<article id="${id}"`)).split("</article>")[0] ?? ""
      expect(article, id).toContain(path.replaceAll(/:(\w+)/g, "{$1}"))
      expect(article, id).toContain(html`${docs.summary}`.markup)
      for (const { name } of parameters) expect(article, id).toContain(`<code>${name}</code>`)
    }
  })

  it("shows the configured cost of an operation", () => {
    expect(markup.split("<code>tokenPrice</code>")[1]).toMatch(/^ · 7 units/)
  })

  it("has a command for the example of an operation, or for its path", () => {
    const commandOf = (page: string, id: string) =>
      page.split(`<article id="${id}"`)[1]?.split("<code>").find((code) => code.startsWith("curl "))
        ?.split("</code>")[0]?.replaceAll("&quot;", "\"").replaceAll("&#39;", "'").replaceAll("&amp;", "&")
    expect(commandOf(markup, "walletTransfers")).toBe(
      `curl "$PROXY/api/v2.2/${examples.wallet}/erc20/transfers?chain=0x1&limit=3" \\\n  -H "X-API-Key: $TOKEN"`
    )
    expect(commandOf(markup, "updateStreamStatus")).toBe(
      `curl -X POST "$PROXY/streams/evm/${examples.stream}/status" \\\n  -H "X-API-Key: $TOKEN" \\\n` +
        `  -H 'Content-Type: application/json' \\\n  -d '{"status":"paused"}'`
    )
    expect(commandOf(markupOf(pageWith(undefined)), "updateStreamStatus")).toContain(
      "/streams/evm/{id}/status"
    )
  })

  it("lists every error code with its status", () => {
    for (const [code, { status }] of Object.entries(errorCodes)) {
      expect(markup).toContain(`<td class="number">${status}</td><th scope="row"><code>${code}</code>`)
    }
  })
})

describe.skipIf(Chromium.program === undefined)(`in a browser${Chromium.skippedSuffix}`, () => {
  layer(Chromium.layer)((it) => {
    it.scoped("fits a phone and a desktop with everything expanded", () =>
      Effect.gen(function*() {
        const { url } = yield* PageServer.serve((_, response) => PageServer.send(page, response))
        const opened = yield* Chromium.open(url)
        yield* Effect.promise(async () => {
          await opened.evaluate(() =>
            document.querySelectorAll("details").forEach((each) => each.open = true)
          )
          expect(await Chromium.overflows(opened)).toEqual([0, 0, 0])
        })
      }))
  })
})
