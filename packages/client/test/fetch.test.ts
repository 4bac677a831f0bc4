/** What a `fetch` of the program may do: read bodies, throw, and say in its own words what failed. */
import { BlockquarryError, type ClientOptions, createClient } from "@blockquarry/client"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { unusedUrl } from "./support/Servers.ts"

const apiKey = "zanzibar/of+the=client"
const address = "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"
const price = "{\"usdPrice\":1.5}"

type Fetch = NonNullable<ClientOptions["fetch"]>

/** Sends a request with a fetch, and counts its calls. */
const failure = async (fetch: Fetch, isUpdate = false) => {
  let calls = 0
  const client = createClient({
    apiKey,
    baseUrl: "http://api.test",
    retry: { attempts: 3, baseDelay: { transient: 0 }, maxDelay: 0 },
    fetch: (...request) => {
      calls += 1
      return fetch(...request)
    }
  })
  const call = isUpdate
    ? client.updateStreamStatus({ id: "00000000-0000-4000-8000-000000000000", status: "paused" })
    : client.tokenPrice({ address })
  const error: unknown = await call.then(() => null, (error: unknown) => error)
  await client.close()
  return { error, calls, text: `${String(error)} ${JSON.stringify(error)}` }
}

const responses: ReadonlyArray<readonly [string, () => Response]> = [
  ["of known length", () => new Response(price, { headers: { "content-length": String(price.length) } })],
  ["of unknown length", () => new Response(price)],
  ["with an encoding", () => new Response(price, { headers: { "content-encoding": "gzip" } })]
]

describe.each(responses)("a body %s", (_, response) => {
  const alreadyRead = { name: "InvalidResponseError", kind: "already-read", status: 200, retryable: false }

  it("that a wrapper has read or locked is an error that says so, after one request", async () => {
    for (const read of [(body: Response) => body.text(), (body: Response) => body.body?.getReader()]) {
      const { calls, error } = await failure(async () => {
        const used = response()
        await read(used)
        return used
      })
      expect(error).toMatchObject(alreadyRead)
      expect(error).toHaveProperty("message", expect.stringContaining("read a clone of the response instead"))
      expect(calls).toBe(1)
    }
  })

  it("of a Response that is shared by calls is read once", async () => {
    const shared = response()
    const fetch = async () => shared
    expect((await failure(fetch)).error).toBeNull()
    expect((await failure(fetch)).error).toMatchObject(alreadyRead)
  })

  it("that was read does not hide the status of an error", async () => {
    const { error } = await failure(async () => {
      const read = new Response(response().body, { status: 404, headers: response().headers })
      await read.text()
      return read
    })
    expect(error).toMatchObject({ name: "NotFoundError", status: 404 })
  })
})

class InternalError extends Error {
  override name = "InternalError"
}

const throwing = (error: unknown): Fetch => () => Promise.reject(error)

const mistakes: ReadonlyArray<readonly [string, Fetch, string]> = [
  [
    "throws for a request without a handler of MSW",
    throwing(new InternalError("[MSW] Cannot bypass a request")),
    "InternalError: [MSW] Cannot bypass a request"
  ],
  [
    "of Node.js blocks a port",
    () => globalThis.fetch("http://127.0.0.1:9"),
    "Error: bad port, which fetch blocks"
  ],
  ["throws a string", throwing("no entry"), "no entry"],
  [
    "has a mistake",
    throwing(new TypeError("init.foo is not a function")),
    "TypeError: init.foo is not a function"
  ],
  [
    "has a mistake with a code",
    throwing(Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL" })),
    "TypeError: Invalid URL"
  ],
  ["returns undefined", vi.fn().mockResolvedValue(undefined), "TypeError: fetch returned no Response"],
  ["returns nothing, at once", vi.fn(), "TypeError: fetch returned no Response"]
]

describe("a fetch", () => {
  it.each(mistakes)("that %s is not repeated, and its text is kept", async (_, fetch, text) => {
    const { calls, error } = await failure(fetch)
    expect(error).toBeInstanceOf(BlockquarryError)
    expect(error).toMatchObject({
      name: "NetworkError",
      reason: `the HTTP client failed: ${text}`,
      message: `tokenPrice: request to api.test failed: the HTTP client failed: ${text}`,
      hint: null,
      retryable: false
    })
    expect(calls).toBe(1)
    const update = await failure(fetch, true)
    expect(update.error).toMatchObject({ mayHaveBeenApplied: !text.includes("bad port"), retryable: false })
  })

  it.each([
    apiKey,
    encodeURIComponent(apiKey),
    `https://api.test/?key=${apiKey}`,
    `{"headers":{"x-api-key":${JSON.stringify(apiKey)}}}`
  ])("that throws the API key as %s does not reveal it", async (spelling) => {
    for (const make of [Error, TypeError]) {
      const { error, text } = await failure(throwing(new make(`error sending request ${spelling}.`)))
      expect(error).toMatchObject({ name: "NetworkError" })
      for (const one of [apiKey, encodeURIComponent(apiKey)]) expect(text).not.toContain(one)
    }
  })

  /** What the runtimes throw, as they were seen. */
  const failures: ReadonlyArray<readonly [string, unknown, reason: string, sent: boolean]> = [
    ["Chromium", new TypeError("Failed to fetch"), "Failed to fetch", true],
    ["workerd", new Error("Network connection lost."), "Network connection lost.", true],
    ...[
      "NetworkError when attempting to fetch resource.",
      "Network request failed",
      "The Internet connection appears to be offline.",
      "Failed to fetch (api.test)"
    ].map((text) => [`a runtime of users: ${text}`, new TypeError(text), text, true] as const),
    [
      "Deno, if nothing listens",
      new TypeError("fetch failed", {
        cause: new Error(
          "error sending request for url (http://a.test/?b=c): client error (Connect): tcp connect error: Connection refused (os error 111)"
        )
      }),
      "error sending request for url (http://a.test/?…): client error (Connect): tcp connect error: Connection refused (os error 111)",
      false
    ],
    [
      "Deno, after it has sent the request",
      new TypeError("fetch failed", {
        cause: new Error(
          "error sending request for http://a.test/: client error (SendRequest): connection closed"
        )
      }),
      "error sending request for http://a.test/: client error (SendRequest): connection closed",
      true
    ],
    [
      "an older Bun",
      Object.assign(new Error("Unable to connect."), { code: "ConnectionRefused" }),
      "Unable to connect.",
      false
    ],
    [
      "Node.js, if the connection times out",
      new TypeError("fetch failed", {
        cause: Object.assign(new Error("connect ETIMEDOUT"), { code: "ETIMEDOUT", syscall: "connect" })
      }),
      "ETIMEDOUT",
      false
    ],
    [
      "Node.js, if no answer comes",
      new TypeError("fetch failed", {
        cause: Object.assign(new Error("read ETIMEDOUT"), { code: "ETIMEDOUT", syscall: "read" })
      }),
      "ETIMEDOUT",
      true
    ]
  ]

  it.each(failures)(
    "of %s keeps its text, and says whether the request was sent",
    async (_, cause, reason, sent) => {
      const read = await failure(() => Promise.reject(cause))
      expect(read.error).toMatchObject({ name: "NetworkError", reason, sent, retryable: true })
      expect(read.calls).toBe(3)
      const update = await failure(() => Promise.reject(cause), true)
      expect(update.error).toMatchObject({ reason, sent, mayHaveBeenApplied: sent, retryable: !sent })
      expect(update.calls).toBe(sent ? 1 : 3)
    }
  )

  it("of this runtime says that a refused port and an unknown host receive nothing", async () => {
    for (const url of [await unusedUrl(), "http://nothing.invalid"]) {
      const { error } = await failure((_, init) => globalThis.fetch(url, init), true)
      expect(error).toMatchObject({ name: "NetworkError", sent: false, mayHaveBeenApplied: false })
      expect(error).toHaveProperty("hint", "Check the option baseUrl and your network.")
    }
  })
})

it("broken encodings are the same error, and are repeated", async () => {
  const texts = [
    "Gzip decompression failed.",
    "Gzip compressed stream ended prematurely.",
    "deflate decompression error: invalid distances set",
    "brotli error",
    "unexpected end of file"
  ]
  const codes = ["Z_DATA_ERROR", "ERR__ERROR_FORMAT_CL_SPACE", "ZlibError", "BrotliDecompressionError"]
  const causes = [
    ...texts.map((text) => new TypeError(text)),
    ...codes.map((code) =>
      new TypeError("terminated", { cause: Object.assign(new Error("failed"), { code }) })
    )
  ]
  for (const cause of causes) {
    const { calls, error } = await failure(async () =>
      new Response(new ReadableStream({ pull: (body) => body.error(cause) }), {
        headers: { "content-encoding": "gzip" }
      })
    )
    expect(error).toMatchObject({ name: "InvalidResponseError", kind: "incomplete", retryable: true })
    expect(calls).toBe(3)
  }
})

it("that a runtime drops in the background is sent again in a call, and from then on not in the background", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
  let calls = 0
  let onDropped = () => {}
  const dropped = new Promise<void>((resolve) => void (onDropped = resolve))
  const client = createClient({
    apiKey,
    baseUrl: "http://api.test",
    cache: { enabled: true, staleWhileRevalidate: "1 hour" },
    // The dropped one keeps its slot
    concurrency: { limit: 2 },
    timeouts: { attempt: "1 second", call: "1 second" },
    fetch: () => {
      calls += 1
      if (calls !== 2) return Promise.resolve(Response.json({ usdPrice: calls }))
      onDropped()
      return new Promise(() => {})
    }
  })
  /** Goes on without the timers, which such a runtime drops too. */
  const priceAfter = async (millis: number) => {
    vi.setSystemTime(Date.now() + millis)
    return (await client.tokenPrice({ address })).usdPrice
  }
  expect([await priceAfter(0), await priceAfter(6000)]).toEqual([1, 1])
  await dropped
  expect([await priceAfter(999), calls]).toEqual([1, 2])
  for (const next of [3, 4, 5]) {
    expect([await priceAfter(6000), await priceAfter(1), calls]).toEqual([next, next, next])
  }
})
