// Runs a program that is bundled with the client in a process, in a page of Chromium, and in workerd.
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { html } from "./browser.mjs"
import { run } from "./common.mjs"

/** @typedef {(request: { readonly stdin: { readonly contents: string, readonly resolveDir: string }, [option: string]: unknown }) => Promise<unknown>} Build of esbuild */

/** @param {import("node:http").Server} server */
export const listen = async (server) => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
  return `http://127.0.0.1:${Object(server.address()).port}`
}

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

/** The result of a program in a page, or its error, which ends the wait for it. */
const report = `const report = (body) => fetch("/report", { method: "POST", body })
addEventListener("error", ({ message }) => report(message))`

/**
 * Starts a server that the programs call at `ORIGIN`, and returns what bundles and runs them.
 *
 * @param {object} options
 * @param {string} options.folder where to put the programs
 * @param {string} options.project which has the packages
 * @param {Build} options.build
 * @param {string} [options.imports] of each program, besides the client
 * @param {Readonly<Record<string, string>>} [options.define]
 * @param {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => void} options.respond
 */
export const startRuntimes = async ({ build, define = {}, folder, imports = "", project, respond }) => {
  mkdirSync(folder)
  const outfile = (/** @type {string} */ name) => join(folder, name)
  /** @type {Readonly<Record<string, () => string>>} */
  const pages = {
    "/": () => html("./page.js"),
    "/page.js": () => readFileSync(outfile("page.js"), "utf8"),
    "/favicon.ico": () => ""
  }
  let onReport = (/** @type {string} */ _printed) => {}
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const page = pages[request.url ?? ""]
    if (page !== undefined) {
      response.setHeader("content-type", request.url === "/" ? "text/html" : "text/javascript").end(page())
    } else if (request.url === "/report") {
      onReport(body)
      response.end()
    } else respond(request, response)
  })
  // A connection stays open while a program starts
  server.keepAliveTimeout = 60_000
  const origin = await listen(server)
  const bundle = async (/** @type {string} */ name, /** @type {string} */ code) => {
    await build({
      stdin: {
        contents: `import { createClient } from "@blockquarry/client"\n${imports}\n${code}`,
        resolveDir: project
      },
      bundle: true,
      format: "esm",
      platform: "neutral",
      external: ["node:*"],
      outfile: outfile(name),
      define: { ORIGIN: JSON.stringify(origin), ...define },
      logLevel: "silent"
    })
    return outfile(name)
  }
  return {
    bundle,
    close: () => server.close(),
    /**
     * Returns what a program prints.
     *
     * @param {ReadonlyArray<string>} command which runs a file
     * @param {string} file
     */
    inProcess: ([program = "", ...args], file) => run(folder, program, [...args, file]),
    /**
     * Returns the results of a program in a page.
     *
     * @param {string} chromium
     * @param {string} code which sets `results`
     */
    inChromium: async (chromium, code) => {
      await bundle("page.js", `${report}\n${code}\nreport(JSON.stringify(results))`)
      const printed = new Promise((resolve) => {
        onReport = resolve
      })
      const profile = `--user-data-dir=${outfile("profile")}`
      const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", profile]
      const child = spawn(chromium, [...flags, origin], { stdio: "ignore" })
      const ended = new Promise((resolve) => child.once("exit", resolve))
      try {
        return String(await Promise.race([printed, ended.then(() => "nothing")]))
      } finally {
        child.kill()
        await ended
      }
    },
    /**
     * Runs a worker, and returns the result of `use`, whose argument sends requests to it.
     *
     * @template A
     * @param {string} workerd
     * @param {string} code
     * @param {(get: (path: string) => Promise<string>) => Promise<A>} use
     */
    inWorkerd: async (workerd, code, use) => {
      await bundle("worker.js", code)
      writeFileSync(outfile("config.capnp"), workerConfig)
      const child = spawn(workerd, ["serve", "--control-fd=1", "config.capnp"], { cwd: folder })
      try {
        const port = await new Promise((resolve, reject) => {
          child.stdout.once("data", (line) => resolve(JSON.parse(String(line)).port))
          child.once("exit", () => reject(new Error("it ended")))
        })
        return await use(async (path) => {
          const signal = AbortSignal.timeout(60_000)
          const response = await fetch(`http://127.0.0.1:${port}/${path}`, { signal })
          return `${response.status} ${await response.text()}`
        })
      } finally {
        child.kill("SIGKILL")
      }
    }
  }
}
