// What each runtime says of a request that fails, and how often it sends an update.
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import { html } from "./browser.mjs"
import { assert, run } from "./common.mjs"

/** @typedef {(request: { readonly stdin: { readonly contents: string, readonly resolveDir: string }, [option: string]: unknown }) => Promise<unknown>} Build of esbuild */

/** Prices by the last digit of the address: the encoding, and the body. */
const document = JSON.stringify({
  usdPrice: 1.5,
  tokenName: Array.from({ length: 900 }, (_, index) => index).join(" ")
})
const compressed = gzipSync(document)
const broken = Buffer.from(compressed).fill(7, 40, 300)

/** @type {ReadonlyArray<readonly [encoding: string | null, body: string | Buffer]>} */
const prices = [
  [null, document],
  ["gzip", broken],
  ["gzip", compressed.subarray(0, -200)],
  ["unknown", compressed.subarray(9)],
  ["unknown", document]
]

/** What a program prints: whether each price is an error, and what its updates failed with. */
const program = `
const results = {}
const policies = { retry: { attempts: 1 } }
const client = createClient({ apiKey: "key", baseUrl: ORIGIN, ...policies })
const failureOf = (call) =>
  call.then(() => "none", ({ kind, mayHaveBeenApplied, name, retryable, sent }) => ({ kind, mayHaveBeenApplied, name, retryable, sent }))
const update = { id: "00000000-0000-4000-8000-000000000000", status: "paused" }
results.prices = []
for (let digit = 0; digit < ${prices.length}; digit += 1) {
  results.prices.push(await failureOf(client.tokenPrice({ address: "0x" + String(digit).padStart(40, "0") })))
}
// Reuses the connection
results.broken = await failureOf(client.updateStreamStatus(update))
results.refused = await failureOf(createClient({ apiKey: "key", baseUrl: REFUSED, ...policies }).updateStreamStatus(update))
`

const workerConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2024-10-14"
);
`

/**
 * Starts a server that the programs call, and returns what runs them.
 *
 * @param {string} folder where to put the programs
 * @param {string} project which has the packages
 * @param {Build} build
 * @param {object} options of the build
 */
export const startNetwork = async (folder, project, build, options = {}) => {
  mkdirSync(folder)
  const outfile = (/** @type {string} */ name) => join(folder, name)
  /** @type {Readonly<Record<string, () => string>>} */
  const pages = {
    "/": () => html("./page.js"),
    "/page.js": () => readFileSync(outfile("page.js"), "utf8"),
    "/favicon.ico": () => ""
  }
  let report = (/** @type {string} */ _printed) => {}
  let updates = 0
  const server = createServer(async (request, response) => {
    const { method, url = "" } = request
    const body = await text(request)
    const page = pages[url]
    if (page !== undefined) {
      response.writeHead(200, { "content-type": url === "/" ? "text/html" : "text/javascript" }).end(page())
    } else if (url === "/report") {
      report(body)
      response.end()
    } else if (method === "POST") {
      updates += 1
      request.socket.destroy()
    } else {
      const [encoding, price = ""] = prices[Number(/0x\d*(\d)\//.exec(url)?.[1])] ?? [null]
      response.writeHead(200, {
        "content-type": "application/json",
        ...encoding === null ? {} : { "content-encoding": encoding }
      }).end(price)
    }
  })
  // A connection stays open while the program starts
  server.keepAliveTimeout = 60_000
  const listen = async (/** @type {import("node:http").Server} */ server) => {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
    return `http://127.0.0.1:${Object(server.address()).port}`
  }
  const origin = await listen(server)
  const closed = createServer()
  const refused = await listen(closed)
  await new Promise((resolve) => closed.close(resolve))
  const bundle = (/** @type {string} */ name, /** @type {string} */ code) =>
    build({
      stdin: { contents: `import { createClient } from "@blockquarry/client"\n${code}`, resolveDir: project },
      bundle: true,
      format: "esm",
      platform: "neutral",
      external: ["node:*"],
      outfile: outfile(name),
      define: { ORIGIN: JSON.stringify(origin), REFUSED: JSON.stringify(refused) },
      logLevel: "silent",
      ...options
    })
  await bundle("program.mjs", `${program}\nconsole.log(JSON.stringify(results))`)

  /**
   * Checks what a program prints. Browsers may send an update again. They and workerd do not say that a request was not sent.
   *
   * @param {() => Promise<string>} print
   * @param {{ readonly maxUpdates?: number, readonly saysUnsent?: boolean }} runtime
   */
  const check = async (print, { maxUpdates = 1, saysUnsent = true } = {}) => {
    updates = 0
    const printed = await print()
    assert(printed.startsWith("{"), `it printed: ${printed}`)
    const { broken, prices: [plain, ...encoded], refused } = JSON.parse(printed)
    const seen = `${printed}, ${updates} updates received`
    const incomplete = { kind: "incomplete", name: "InvalidResponseError", retryable: true }
    const isIncomplete = (/** @type {unknown} */ failure) =>
      Object.entries(incomplete).every(([name, value]) => Object(failure)[name] === value)
    assert(plain === "none" && encoded.pop() === "none" && encoded.every(isIncomplete), seen)
    assert(
      broken.name === "NetworkError" && broken.sent && broken.mayHaveBeenApplied && !broken.retryable,
      seen
    )
    assert(refused.name === "NetworkError" && refused.sent === !saysUnsent, seen)
    assert(refused.mayHaveBeenApplied === refused.sent && refused.retryable === !refused.sent, seen)
    assert(updates > 0 && updates <= maxUpdates, seen)
    return `${updates === 1 ? "one update" : `${updates} updates`}, sent: ${refused.sent}`
  }

  return {
    close: () => server.close(),
    /** @param {ReadonlyArray<string>} command which runs a program */
    inProcess: ([file = "", ...args]) => check(() => run(folder, file, [...args, outfile("program.mjs")])),
    /** @param {string} chromium */
    inChromium: async (chromium) => {
      const send = `const report = (body) => fetch("/report", { method: "POST", body })
addEventListener("error", ({ message }) => report(message))`
      await bundle("page.js", `${send}\n${program}\nreport(JSON.stringify(results))`)
      return check(
        async () => {
          const printed = new Promise((resolve) => {
            report = resolve
          })
          const profile = `--user-data-dir=${outfile("profile")}`
          const child = spawn(
            chromium,
            ["--headless=new", "--no-sandbox", "--disable-gpu", profile, origin],
            {
              stdio: "ignore"
            }
          )
          const ended = new Promise((resolve) => child.once("exit", resolve))
          try {
            return await Promise.race([printed, ended.then(() => "nothing")])
          } finally {
            child.kill()
            await ended
          }
        },
        { maxUpdates: Infinity, saysUnsent: false }
      )
    },
    /** @param {string} workerd */
    inWorkerd: async (workerd) => {
      const worker = `export default { async fetch() {\n${program}\nreturn Response.json(results)\n} }`
      await bundle("worker.js", worker)
      writeFileSync(outfile("config.capnp"), workerConfig)
      const child = spawn(workerd, ["serve", "--control-fd=1", "config.capnp"], { cwd: folder })
      try {
        const port = await new Promise((resolve, reject) => {
          child.stdout.once("data", (line) => resolve(JSON.parse(String(line)).port))
          child.once("exit", () => reject(new Error("it ended")))
        })
        return await check(async () => (await fetch(`http://127.0.0.1:${port}/`)).text(), {
          saysUnsent: false
        })
      } finally {
        child.kill()
      }
    }
  }
}
