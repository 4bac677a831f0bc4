/** The TypeScript language server, as editors use it. */
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

/** Returns the text that an editor shows for the symbol at `offset`. */
export type Hover = (offset: number) => Promise<string>

/** The parts of a JSON-RPC message that this client reads. */
const Message = Schema.parseJson(Schema.Struct({
  id: Schema.optional(Schema.Unknown),
  method: Schema.optional(Schema.String),
  result: Schema.optional(Schema.Unknown)
}))

const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"))

/** Opens an unsaved file in a language server, runs `use`, and stops the server. */
export const withUnsavedFile = async <A>(
  path: string,
  text: string,
  use: (hover: Hover) => Promise<A>
): Promise<A> => {
  const server = spawn(process.execPath, [join(typescript, "bin", "tsc"), "--lsp", "--stdio"], {
    stdio: ["pipe", "pipe", "ignore"]
  })
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const pending = new Map<number, (result: unknown) => void>()
  const stopped = new Promise<never>((_, reject) => {
    server.once("error", reject)
    server.once("exit", (code) => reject(new Error(`the language server exited with code ${code}`)))
  })
  stopped.catch(() => undefined)
  let received = Buffer.alloc(0)
  server.stdout.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const header = /^Content-Length: (\d+)\r\n(?:.*\r\n)*?\r\n/i.exec(received.toString("latin1"))
      if (header === null) return
      const end = header[0].length + Number(header[1])
      if (received.length < end) return
      const { id, method, result } = Schema.decodeSync(Message)(
        received.subarray(header[0].length, end).toString("utf8")
      )
      received = received.subarray(end)
      if (method === undefined) pending.get(Number(id))?.(result)
      // The server waits for the responses to its own requests
      else if (id !== undefined) send({ id, result: null })
    }
  })
  let lastId = 0
  const request = (method: string, params: object): Promise<unknown> => {
    const id = ++lastId
    const response = new Promise<unknown>((resolve) => pending.set(id, resolve))
    send({ id, method, params })
    return Promise.race([response, stopped])
  }
  try {
    await request("initialize", { processId: process.pid, rootUri: null, capabilities: {} })
    send({ method: "initialized", params: {} })
    const uri = pathToFileURL(path).href
    send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "typescript", version: 1, text } }
    })
    return await use(async (offset) => {
      const before = text.slice(0, offset).split("\n")
      const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
      return JSON.stringify(await request("textDocument/hover", { textDocument: { uri }, position }))
    })
  } finally {
    server.kill("SIGKILL")
  }
}
