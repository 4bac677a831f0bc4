// A bundle in a page, and what the page shows in a browser.
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join } from "node:path"
import { run } from "./common.mjs"

/**
 * Serves a folder, and returns what a page of it shows in Chromium.
 *
 * @param {string} chromium
 * @param {string} folder
 * @param {string} profile the folder of the browser's profile
 */
export const pageText = async (chromium, folder, profile) => {
  const types =
    /** @type {Readonly<Record<string, string>>} */ ({ ".html": "text/html", ".js": "text/javascript" })
  const server = createServer((request, response) => {
    const file = join(folder, request.url === "/" ? "index.html" : String(request.url))
    response.writeHead(existsSync(file) ? 200 : 404, { "content-type": types[extname(file)] ?? "text/plain" })
    response.end(existsSync(file) ? readFileSync(file) : "")
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
  const { port } = Object(server.address())
  try {
    const flags = [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--virtual-time-budget=20000",
      "--dump-dom"
    ]
    const dom = await run(folder, chromium, [
      ...flags,
      `--user-data-dir=${profile}`,
      `http://127.0.0.1:${port}/`
    ])
    return [...dom.matchAll(/<pre>([^<]*)<\/pre>/g)].map(([, text = ""]) => text).join("\n")
  } finally {
    server.close()
  }
}

/** Shows in the page what a program prints, and its errors. */
export const html = (/** @type {string} */ script) =>
  `<!doctype html><body><script>
console.log = (...texts) => document.body.append(Object.assign(document.createElement("pre"), { textContent: texts.join(" ") }))
addEventListener("error", ({ message }) => console.log("error: " + message))
addEventListener("unhandledrejection", ({ reason }) => console.log("error: " + reason))
</script><script type="module" src="${script}"></script></body>`
