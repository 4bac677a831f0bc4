// Many callers of one client, in every runtime: each has its answer, in its own async context.
import { assert } from "./common.mjs"
import { startRuntimes } from "./runtimes.mjs"

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
 * Returns what runs the calls in each runtime.
 *
 * @param {string} folder where to put the programs
 * @param {string} project which has the packages
 * @param {import("./runtimes.mjs").Build} build
 */
export const startCallers = async (folder, project, build) => {
  const imports = `import { addressOf, callAtOnce, makeUpstream, policies } from ${JSON.stringify(callers)}`
  const runtimes = await startRuntimes({
    folder,
    project,
    build,
    imports,
    respond: (request, response) => {
      const [status, body] = upstream(new URL(request.url ?? "", "http://server.test"))
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    }
  })
  const { upstream } = await import(
    await runtimes.bundle("upstream.mjs", "export const upstream = makeUpstream()")
  )
  const file = await runtimes.bundle(
    "program.mjs",
    `${storage}\n${program}\nconsole.log(JSON.stringify(results))`
  )
  return {
    close: runtimes.close,
    /** @param {ReadonlyArray<string>} command which runs a program */
    inProcess: async (command) => check(await runtimes.inProcess(command, file), true),
    /** @param {string} chromium */
    inChromium: async (chromium) =>
      check(await runtimes.inChromium(chromium, `${noStorage}\n${program}`), false),
    /** @param {string} workerd */
    inWorkerd: (workerd) =>
      runtimes.inWorkerd(workerd, `${storage}\n${worker}`, async (get) => {
        const own = check((await get("")).slice("200 ".length), true)
        for (const policy of ["the queue", "a limit of one", "a rate limit", "coalescing", "retries"]) {
          const answers = await Promise.all(
            Array.from({ length: 80 }, (_, caller) => get(`${policy}?caller=${caller}`))
          )
          for (const answer of answers) assert(answer === "200 1.5", `${policy}: ${answer}`)
        }
        return `${own}; 5 × 80 requests with kept clients`
      })
  }
}
