/// <reference lib="dom" />
/** A browser for tests, where there is one, and pages in it that tell of everything that goes wrong in them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { accessSync, constants } from "node:fs"
import { type Browser as PlaywrightBrowser, chromium, type Page } from "playwright-core"

/** Where the program is; undefined where it is not installed. */
export const program: string | undefined = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium"].find(
  (file) => {
    try {
      accessSync(file ?? "", constants.X_OK)
      return true
    } catch {
      return false
    }
  }
)

/** What the name of a suite says where it is skipped. */
export const skippedSuffix = program === undefined ? " (skipped: there is no chromium)" : ""

export class Browser extends Context.Tag("test/Browser")<Browser, PlaywrightBrowser>() {}

/** One for all tests of a file. */
export const layer: Layer.Layer<Browser> = Layer.scoped(
  Browser,
  Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({
        executablePath: program ?? "chromium",
        args: [
          "--headless=new",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync"
        ]
      })
    ),
    (browser) => Effect.promise(() => browser.close())
  )
)

export interface View {
  readonly width: number
  readonly height: number
  readonly scheme: "light" | "dark"
}

const sizes = [{ width: 390, height: 844 }, { width: 1440, height: 900 }]

/** A telephone and a desk, by day and by night. */
export const views: ReadonlyArray<View> = sizes.flatMap((size) =>
  (["light", "dark"] as const).map((scheme) => ({ ...size, scheme }))
)

export interface OpenedPage {
  readonly page: Page
  /** Complaints of the console, of the policy, of scripts, and requests that left the origin. */
  readonly errors: ReadonlyArray<string>
}

/** What the console says of an answer that is no success, and of a server that is gone: tests ask for these. */
const expected = /^Failed to load resource: /

/** A page at an address. `before` is done before anything is loaded. */
export const open = (
  url: string,
  view: View = { width: 1440, height: 900, scheme: "light" },
  beforeLoad: (page: Page) => Promise<void> = () => Promise.resolve()
): Effect.Effect<OpenedPage, never, Browser | Scope.Scope> =>
  Effect.gen(function*() {
    const browser = yield* Browser
    const context = yield* Effect.acquireRelease(
      Effect.promise(() =>
        browser.newContext({
          viewport: { width: view.width, height: view.height },
          colorScheme: view.scheme,
          permissions: ["clipboard-read", "clipboard-write"]
        })
      ),
      (context) => Effect.promise(() => context.close())
    )
    const page = yield* Effect.promise(() => context.newPage())
    const wrong: Array<string> = []
    const { origin } = new URL(url)
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !expected.test(message.text())) {
        wrong.push(message.text())
      }
    })
    page.on("pageerror", (error) => wrong.push(String(error)))
    page.on("request", (request) => {
      const asked = request.url()
      if (!asked.startsWith(`${origin}/`) && !asked.startsWith("data:")) {
        wrong.push(`a request leaves the origin: ${asked}`)
      }
    })
    yield* Effect.promise(() => beforeLoad(page).then(() => page.goto(url)))
    return { page, errors: wrong }
  })

/** How many pixels of the page are out of sight to the right. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** All that a browser keeps of a page beyond its life, and its address. */
export const browserStorage = (page: Page): Promise<string> =>
  page.evaluate(() =>
    JSON.stringify([
      location.href,
      document.cookie,
      { ...localStorage },
      { ...sessionStorage },
      history.state
    ])
  )
