// What each runtime says of a request that fails, and how often it sends an update.
import { createServer } from "node:http"
import { gzipSync } from "node:zlib"
import { assert } from "./common.mjs"
import { listen, startRuntimes } from "./runtimes.mjs"

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

/**
 * Returns what runs the requests in each runtime.
 *
 * @param {string} folder where to put the programs
 * @param {string} project which has the packages
 * @param {import("./runtimes.mjs").Build} build
 */
export const startNetwork = async (folder, project, build) => {
  const closed = createServer()
  const refused = await listen(closed)
  await new Promise((resolve) => closed.close(resolve))
  let updates = 0
  const runtimes = await startRuntimes({
    folder,
    project,
    build,
    define: { REFUSED: JSON.stringify(refused) },
    respond: ({ method, socket, url = "" }, response) => {
      if (method === "POST") {
        updates += 1
        return void socket.destroy()
      }
      const [encoding, price = ""] = prices[Number(/0x\d*(\d)\//.exec(url)?.[1])] ?? [null]
      response.writeHead(200, {
        "content-type": "application/json",
        ...encoding === null ? {} : { "content-encoding": encoding }
      }).end(price)
    }
  })
  const file = await runtimes.bundle("program.mjs", `${program}\nconsole.log(JSON.stringify(results))`)

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
    close: runtimes.close,
    /** @param {ReadonlyArray<string>} command which runs a program */
    inProcess: (command) => check(() => runtimes.inProcess(command, file)),
    /** @param {string} chromium */
    inChromium: (chromium) =>
      check(() => runtimes.inChromium(chromium, program), { maxUpdates: Infinity, saysUnsent: false }),
    /** @param {string} workerd */
    inWorkerd: (workerd) => {
      const worker = `export default { async fetch() {\n${program}\nreturn Response.json(results)\n} }`
      const print = () => runtimes.inWorkerd(workerd, worker, (get) => get(""))
      return check(async () => (await print()).slice("200 ".length), { saysUnsent: false })
    }
  }
}
