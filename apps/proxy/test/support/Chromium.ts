/// <reference lib="dom" />
/** Chromium for tests, if it is installed. Opened pages report every error. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { accessSync, constants } from "node:fs"
import { type Browser as PlaywrightBrowser, chromium, type Page } from "playwright-core"
import { expect } from "vitest"

/** Path of the executable; undefined if Chromium is not installed. */
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

/** Suffix for the titles of suites that are skipped without Chromium. */
export const skippedSuffix = program === undefined ? " (skipped: Chromium is not installed)" : ""

export class Browser extends Context.Tag("test/Browser")<Browser, PlaywrightBrowser>() {}

/** One browser for all tests of a file. */
export const layer: Layer.Layer<Browser> = Layer.scoped(
  Browser,
  Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({
        executablePath: program ?? "chromium",
        timeout: 0,
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

/** The widths of a phone, of half a screen and of a desktop. */
const sizes = [{ width: 360, height: 844 }, { width: 900, height: 900 }, { width: 1440, height: 900 }]

/** Console message after an error response or a lost connection, which tests cause on purpose. */
const expected = /^Failed to load resource: /

interface OpenOptions {
  /** Runs before anything is loaded. */
  readonly beforeLoad?: (page: Page) => Promise<void>
  /** An error that the test causes. */
  readonly allowed?: RegExp
}

/**
 * Opens a page. There must be no console errors and warnings, script errors, policy violations, and requests to other
 * origins until it is closed.
 */
export const open = (
  url: string,
  { allowed = /^$/, beforeLoad }: OpenOptions = {}
): Effect.Effect<Page, never, Browser | Scope.Scope> =>
  Effect.gen(function*() {
    const browser = yield* Browser
    const context = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
        // The test has a timeout
        context.setDefaultTimeout(0)
        return context
      }),
      (context) => Effect.promise(() => context.close())
    )
    const page = yield* Effect.promise(() => context.newPage())
    const errors: Array<string> = []
    const { origin } = new URL(url)
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !expected.test(message.text())) {
        errors.push(message.text())
      }
    })
    page.on("pageerror", (error) => errors.push(String(error)))
    page.on("request", (request) => {
      const requestUrl = request.url()
      if (!requestUrl.startsWith(`${origin}/`) && !requestUrl.startsWith("data:")) {
        errors.push(`request to another origin: ${requestUrl}`)
      }
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => expect(errors.filter((error) => !allowed.test(error))).toEqual([]))
    )
    yield* Effect.promise(async () => {
      await beforeLoad?.(page)
      await page.goto(url)
    })
    return page
  })

/** Returns how many pixels the page is wider than each size. */
export const overflows = async (page: Page): Promise<ReadonlyArray<number>> => {
  const found: Array<number> = []
  for (const size of sizes) {
    await page.setViewportSize(size)
    found.push(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    )
  }
  return found
}

/** Returns the URL and everything that the browser stores for the page. */
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
