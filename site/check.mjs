/// <reference lib="dom" />
/**
 * Checks the built site: links, the size of the search index, and in a browser accessibility, requests to other origins, widths,
 * words, navigation and search. `check.mjs --shots FOLDER` also takes screenshots.
 */
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"
import { serve } from "vitepress"

const site = fileURLToPath(new URL("./", import.meta.url))
const built = join(site, "dist/site")
const require = createRequire(import.meta.url)
const shots = process.argv[2] === "--shots" ? process.argv[3] : undefined

/** @type {Array<string>} */
const problems = []

// Links
const files = readdirSync(built, { recursive: true, encoding: "utf8" }).map((file) =>
  file.replaceAll("\\", "/")
)
const known = new Set(files)
const documents = files.filter((file) => file.endsWith(".html"))
/** @type {ReadonlyMap<string, { readonly ids: ReadonlySet<string>; readonly links: ReadonlyArray<string> }>} */
const pages = new Map(documents.map((file) => {
  const html = readFileSync(join(built, file), "utf8")
  return [file, {
    ids: new Set([...html.matchAll(/ (?:id|name)="([^"]+)"/g)].map(([, id = ""]) => id)),
    links: [...html.matchAll(/<(?:a|link|script|img)\b[^>]* (?:href|src)="([^"]*)"/g)].map(([, link = ""]) =>
      decodeURIComponent(link.replaceAll("&amp;", "&"))
    )
  }]
}))

/** @param {string} path */
const toFile = (path) => path === "" || path.endsWith("/") ? `${path}index.html` : path

let links = 0
for (const [file, page] of pages) {
  for (const link of page.links) {
    if (/^\w+:/.test(link)) continue
    links += 1
    const [path = "", anchor = ""] = link.split("#")
    const absolute = path === ""
      ? file
      : toFile(posix.join("/", path.startsWith("/") ? "" : posix.dirname(file), path).slice(1))
    const target = known.has(absolute) ? absolute : `${absolute}.html`
    if (!known.has(target)) problems.push(`${file}: dead link ${link}`)
    else if (anchor !== "" && pages.get(target)?.ids.has(anchor) === false) {
      problems.push(`${file}: no heading for ${link}`)
    }
  }
}
for (const [, path = ""] of readFileSync(join(built, "llms.txt"), "utf8").matchAll(/\]\(\/([^)]+)\)/g)) {
  links += 1
  if (!known.has(path)) problems.push(`llms.txt: dead link ${path}`)
}
console.log(`${documents.length} pages, ${links} internal links`)

const maxIndexSize = 400_000
for (const file of files.filter((file) => /@localSearchIndex.*\.js$/.test(file))) {
  const { size } = statSync(join(built, file))
  if (size > maxIndexSize) problems.push(`${file}: ${size} bytes, expected at most ${maxIndexSize}`)
  else if (size > 1000) console.log(`index of the search: ${Math.ceil(size / 1000)} kB`)
}

// Browser
const server = await serve({ root: site, port: 0 })
const address = server.server?.address()
if (typeof address !== "object" || address === null) throw new Error("the preview server did not start")
const origin = `http://127.0.0.1:${address.port}`

const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
})

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8")
/** @type {ReadonlyArray<readonly [width: number, scheme: "light" | "dark"]>} */
const views = [[1440, "light"], [1440, "dark"], [390, "light"], [390, "dark"]]
const samples = [
  "index",
  "getting-started",
  "operations/walletTransfers",
  "operations/index",
  "cli",
  "errors",
  "policies",
  "proxy/configuration",
  "migration",
  "api/http/DataApi",
  "api/core/OperationError"
]

/**
 * What newcomers search, and the page that is among the first five results.
 *
 * @type {Readonly<Record<string, string>>}
 */
const answers = {
  "which Effect version": "start/effect.html",
  "ERESOLVE": "start/effect.html",
  "cancel a call": "recipes.html",
  "bigint JSON": "amounts.html",
  "tests without an account": "testing.html",
  "worst case duration": "policies.html",
  "resume export": "cli/export.html",
  "proxy container": "start/container.html",
  "supported chains": "operations/#supported-chains",
  "verify release": "security.html",
  "nextjs": "recipes.html",
  "custom CA": "recipes.html",
  "HTTPS_PROXY": "recipes.html",
  "share limits redis": "redis.html",
  "rate limit": "policies.html"
}

/** @param {string} name @param {number} width @param {"light" | "dark"} scheme */
const openPage = async (name, width, scheme) => {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 844 : 900 },
    colorScheme: scheme
  })
  const page = await context.newPage()
  const where = `${name} (${width}, ${scheme})`
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      problems.push(`${where}: ${message.text()}`)
    }
  })
  page.on("pageerror", (error) => problems.push(`${where}: ${error.message}`))
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:")) {
      problems.push(`${where}: request to ${request.url()}`)
    }
  })
  await page.goto(`${origin}/${name}.html`, { waitUntil: "networkidle" })
  return { context, page, where }
}

/**
 * Checks that no line of code is cut on a wide screen, that no word is broken, and that the navigation shows the page.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} where
 */
const checkText = async (page, where) => {
  const { broken, cut, active } = await page.evaluate(() => {
    /** @type {Array<string>} */
    const broken = []
    for (const area of document.querySelectorAll(".vp-doc, .VPHero, .VPFeatures, .VPSidebar, .VPNavBar")) {
      const texts = document.createTreeWalker(area, NodeFilter.SHOW_TEXT)
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        if (text.parentElement?.closest("pre, svg, [hidden]") !== null) continue
        for (const { 0: run, index: start } of (text.textContent ?? "").matchAll(/\S+/gu)) {
          // On a phone: it has no place to break and is longer than a line, as are signatures in the reference
          const isSignature = location.pathname.includes("/api/") &&
            text.parentElement?.closest("code") !== null
          if (innerWidth < 500 && (run.length > 34 || isSignature)) continue
          for (
            const { 0: word, index } of run.matchAll(
              /(?<![\p{L}\p{N}_])[\p{L}\p{N}_]{3,30}(?![\p{L}\p{N}_])/gu
            )
          ) {
            const range = document.createRange()
            range.setStart(text, start + index)
            range.setEnd(text, start + index + word.length)
            const tops = [...range.getClientRects()].map(({ top }) => Math.round(top))
            if (new Set(tops).size > 1) broken.push(word)
          }
        }
      }
    }
    const cut = [...document.querySelectorAll(".vp-doc div[class*=language-] pre")]
      .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => (textContent ?? "").slice(0, 60))
    return { broken, cut, active: document.querySelectorAll(".VPNavBarMenuLink.active").length }
  })
  if (broken.length > 0) problems.push(`${where}: broken words: ${broken.slice(0, 5).join(", ")}`)
  if (page.viewportSize()?.width === 390) return
  if (cut.length > 0) problems.push(`${where}: code is cut: ${cut.slice(0, 3).join("; ")}`)
  if (active !== (/^(?:index|404) /.test(where) ? 0 : 1)) {
    problems.push(`${where}: ${active} entries of the navigation are active`)
  }
}

/** @param {import("playwright-core").Page} page @param {string} where */
const checkAccessibility = async (page, where) => {
  await page.evaluate(axe)
  const violations = await page.evaluate(async () => {
    // @ts-expect-error -- `axe` is a global of the evaluated script
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] })
    return violations.filter((/** @type {{ impact: string }} */ { impact }) =>
      impact === "serious" || impact === "critical"
    )
      .map((/** @type {{ id: string; nodes: ReadonlyArray<{ html: string }> }} */ { id, nodes }) =>
        `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join("  ")}`
      )
  })
  for (const violation of violations) problems.push(`${where}: ${violation}`)
}

try {
  let visits = 0
  for (const [width, scheme] of views) {
    for (const name of samples) {
      const { context, page, where } = await openPage(name, width, scheme)
      const overflow = await page.evaluate(() =>
        document.documentElement.scrollWidth - document.documentElement.clientWidth
      )
      if (overflow > 0) problems.push(`${where}: ${overflow} pixels wider than the window`)
      await checkAccessibility(page, where)
      await checkText(page, where)
      if (shots !== undefined) {
        mkdirSync(shots, { recursive: true })
        await page.screenshot({ path: join(shots, `${name.replaceAll("/", "-")}-${width}-${scheme}.png`) })
      }
      await context.close()
      visits += 1
    }
  }
  // Every other page once, in alternating views; the reference has one template
  const others = documents.map((file) => file.replace(/\.html$/, ""))
    .filter((name) => !samples.includes(name) && name !== "404" && !name.startsWith("api/"))
  for (const [index, name] of others.entries()) {
    const [width, scheme] = views[index % views.length] ?? [1280, "light"]
    const { context, page, where } = await openPage(name, width, scheme)
    await checkAccessibility(page, where)
    await checkText(page, where)
    await context.close()
    visits += 1
  }
  console.log(`${visits} visits with axe`)

  const example = await openPage("operations/tokenPrice", 1280, "light")
  await example.page.getByRole("button", { name: "Run", exact: true }).click()
  const response = example.page.locator(".run-operation pre")
  await response.waitFor({ timeout: 30_000 })
  const responseText = await response.innerText()
  if (!responseText.includes("\"usdPrice\":")) {
    problems.push(`the example of tokenPrice returned ${responseText}`)
  }
  await checkAccessibility(example.page, example.where)
  if (shots !== undefined) {
    await response.scrollIntoViewIfNeeded()
    await example.page.screenshot({ path: join(shots, "run-1280-light.png") })
  }
  await example.context.close()

  const { context, page } = await openPage("index", 1280, "light")
  /** @type {() => void} */
  let arrive = () => {}
  const arrival = new Promise((/** @type {(value?: unknown) => void} */ resolve) => arrive = resolve)
  await page.route(/@localSearchIndexroot/, async (route) => {
    await arrival
    await route.continue()
  })
  await page.keyboard.press("/")
  const status = page.locator(".search-status")
  const loading = page.getByText("Loading the search…")
  await loading.waitFor({ timeout: 5000 }).catch(() =>
    problems.push("the search does not say that it is loading")
  )
  if (shots !== undefined) await page.screenshot({ path: join(shots, "search-loading-1280-light.png") })
  arrive()
  await status.waitFor({ state: "hidden", timeout: 5000 }).catch(() =>
    problems.push("the search keeps loading")
  )
  const search = page.getByRole("searchbox").or(page.locator("#localsearch-input")).first()
  const results = page.locator(".VPLocalSearchBox .result")
  for (const [question, path] of Object.entries(answers)) {
    await search.fill(question)
    const answer = page.locator(`.VPLocalSearchBox li:nth-child(-n + 5) .result[href^="/${path}"]`)
    await answer.first().waitFor({ timeout: 5000 }).catch(async () => {
      problems.push(
        `search "${question}" does not find ${path}: ${(await results.allInnerTexts()).join(", ")}`
      )
    })
  }
  console.log(`${Object.keys(answers).length} questions answered by the search`)
  if (shots !== undefined) await page.screenshot({ path: join(shots, "search-1280-light.png") })
  await context.close()
} finally {
  await browser.close()
  server.server?.close()
}

for (const problem of new Set(problems)) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
if (process.exitCode === 0) console.log("site: ok")
