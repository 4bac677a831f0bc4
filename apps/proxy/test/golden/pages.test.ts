/// <reference lib="dom" />
/** Records of the text of the status page in a browser. */
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { describe } from "vitest"
import * as StatusPage from "../../src/admin/page/StatusPage.ts"
import * as Chromium from "../support/Chromium.ts"
import * as PageServer from "../support/PageServer.ts"
import { busyStatus, idleStatus, sampleUsage } from "../support/sampleStatuses.ts"
import { matches } from "./support/golden.ts"

const now = Date.UTC(2030, 0, 2, 12)

describe.skipIf(Chromium.program === undefined)(`golden records${Chromium.skippedSuffix}`, () => {
  layer(Chromium.layer)((it) => {
    it.scoped.each([["busy", busyStatus(now)], ["quiet", idleStatus(now)]] as const)(
      "match the status page: %s",
      ([name, status]) =>
        Effect.gen(function*() {
          const reply = StatusPage.render(["curl 'http://127.0.0.1:8650/<first>'"])
          const { url } = yield* PageServer.serve((request, response) => {
            if (request.url === "/") return PageServer.send(reply, response)
            return void response.writeHead(200, { "content-type": "application/json" }).end(
              JSON.stringify(request.url === "/status.json" ? status : sampleUsage)
            )
          })
          const page = yield* Chromium.open(url)
          const text = yield* Effect.promise(async () => {
            await page.waitForFunction(() => document.title.includes("–"))
            await page.locator("#usage").waitFor()
            return page.locator("body").innerText()
          })
          expect(text).not.toBe("")
          yield* Effect.promise(() =>
            matches(
              `${
                text.replaceAll(/\n+/g, "\n").replaceAll(/\b\d\d:\d\d:\d\d\b/g, "<time>").replaceAll(
                  /^\d{4}-\d\d$/gm,
                  "<month>"
                ).trim()
              }\n`,
              `status-page-${name}.txt`
            )
          )
        })
    )
  })
})
