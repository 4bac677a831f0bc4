// Many callers of one client, in every runtime: each has its answer, in its own async context.
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { html } from "./browser.mjs"
import { assert, run } from "./common.mjs"

/** @typedef {(request: { readonly stdin: { readonly contents: string, readonly resolveDir: string }, [option: string]: unknown }) => Promise<unknown>} Build of esbuild */

/** What these programs share with the tests of the client. */
const callers = new URL("../../packages/client/test/support/Callers.ts", import.meta.url).pathname

const program = `
const results = {}
for (const policy of Object.keys(policies)) results[policy] = await callAtOnce(createClient, ORIGIN, policy, new Storage())
`

/** Where there is no async context. */
const noStorage = "class Storage { run(_, callback) { return callback() } getStore() {} }"

const storage = `import { AsyncLocalStorage as Storage } from "node:async_hooks"`

const worker = `
const clients = new Map()
export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === "/") {
      ${program}
      return Response.json(results)
    }
    const policy = decodeURIComponent(pathname.slice(1))
    if (!clients.has(policy)) clients.set(policy, createClient({ apiKey: "key", baseUrl: ORIGIN, ...policies[policy] }))
    const address = addressOf(policy, Number(searchParams.get("caller")))
    const { usdPrice } = await clients.get(policy).tokenPrice({ address })
    return new Response(String(usdPrice))
  }
}
`

const workerConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2024-10-14",
  compatibilityFlags = ["nodejs_als"]
);
`

/**
 * Checks what a program prints.
 *
 * @param {string} printed
 * @param {boolean} hasContexts
 */
const check = (printed, hasContexts) => {
  assert(printed.startsWith("{"), `it printed: ${printed}`)
  const results = Object.entries(JSON.parse(printed))
  for (const [policy, { answers, elsewhere, ran }] of results) {
    const seen = `${policy}: ${answers} answers, ${elsewhere} of ${ran} in another store`
    assert(answers === (policy === "streams" ? 400 : 100) && !(hasContexts && elsewhere > 0), seen)
  }
  return `${results.length} × 100 calls${hasContexts ? ", 0 in another store" : ""}`
}

/**
 * Starts a server that the programs call, and returns what runs them.
 *
 * @param {string} folder where to put the programs
 * @param {string} project which has the packages
 * @param {Build} build
 */
export const startCallers = async (folder, project, build) => {
  mkdirSync(folder)
  const outfile = (/** @type {string} */ name) => join(folder, name)
  const bundle = (/** @type {string} */ name, /** @type {string} */ code, define = {}) =>
    build({
      stdin: {
        contents: `import { createClient } from "@blockquarry/client"
import { addressOf, callAtOnce, makeUpstream, policies } from ${JSON.stringify(callers)}
${code}`,
        resolveDir: project
      },
      bundle: true,
      format: "esm",
      platform: "neutral",
      external: ["node:*"],
      outfile: outfile(name),
      define,
      logLevel: "silent"
    })
  await bundle("upstream.mjs", "export const upstream = makeUpstream()")
  const { upstream } = await import(outfile("upstream.mjs"))
  /** @type {Readonly<Record<string, () => string>>} */
  const pages = {
    "/": () => html("./page.js"),
    "/page.js": () => readFileSync(outfile("page.js"), "utf8"),
    "/favicon.ico": () => ""
  }
  let report = (/** @type {string} */ _printed) => {}
  const server = createServer(async (request, response) => {
    const page = pages[request.url ?? ""]
    if (page !== undefined) {
      response.setHeader("content-type", request.url === "/" ? "text/html" : "text/javascript")
      return void response.end(page())
    }
    if (request.url === "/report") {
      report(await text(request))
      return void response.end()
    }
    const [status, body] = upstream(new URL(request.url ?? "", "http://server.test"))
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
  const origin = `http://127.0.0.1:${Object(server.address()).port}`
  const define = { ORIGIN: JSON.stringify(origin) }
  const print = `${program}\nconsole.log(JSON.stringify(results))`
  await bundle("program.mjs", `${storage}\n${print}`, define)

  return {
    close: () => server.close(),
    /** @param {ReadonlyArray<string>} command which runs a program */
    inProcess: async ([file = "", ...args]) =>
      check(await run(folder, file, [...args, outfile("program.mjs")]), true),
    /** @param {string} chromium */
    inChromium: async (chromium) => {
      const send = `const report = (body) => fetch("/report", { method: "POST", body })
addEventListener("error", ({ message }) => report(message))`
      await bundle("page.js", `${noStorage}\n${send}\n${program}\nreport(JSON.stringify(results))`, define)
      const printed = new Promise((resolve) => {
        report = resolve
      })
      const flags = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        `--user-data-dir=${outfile("profile")}`
      ]
      const child = spawn(chromium, [...flags, origin], { stdio: "ignore" })
      const ended = new Promise((resolve) => child.once("exit", resolve))
      try {
        return check(await Promise.race([printed, ended.then(() => "nothing")]), false)
      } finally {
        child.kill()
        await ended
      }
    },
    /** @param {string} workerd */
    inWorkerd: async (workerd) => {
      await bundle("worker.js", `${storage}\n${worker}`, define)
      writeFileSync(outfile("config.capnp"), workerConfig)
      const child = spawn(workerd, ["serve", "--control-fd=1", "config.capnp"], { cwd: folder })
      try {
        const port = await new Promise((resolve, reject) => {
          child.stdout.once("data", (line) => resolve(JSON.parse(String(line)).port))
          child.once("exit", () => reject(new Error("it ended")))
        })
        const get = async (/** @type {string} */ path) => {
          const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
            signal: AbortSignal.timeout(60_000)
          })
          return `${response.status} ${await response.text()}`
        }
        const own = check((await get("")).slice("200 ".length), true)
        for (const policy of ["the queue", "a limit of one", "a rate limit", "coalescing", "retries"]) {
          const answers = await Promise.all(
            Array.from({ length: 80 }, (_, caller) => get(`${policy}?caller=${caller}`))
          )
          for (const answer of answers) assert(answer === "200 1.5", `${policy}: ${answer}`)
        }
        return `${own}; 5 × 80 requests with kept clients`
      } finally {
        child.kill("SIGKILL")
      }
    }
  }
}
