/**
 * HTTP clients of several languages, each with the defaults of its library. They read requests from standard input and print
 * what they make of each response, as `programs/client.py` says.
 */
import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { find } from "../deploy/support/program.ts"

export interface Request {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface HttpClient {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

const file = (name: string) => fileURLToPath(new URL(`programs/${name}`, import.meta.url))

// The one of Debian, which has the libraries
const python = "/usr/bin/python3"

const pythonClient = (library: string): HttpClient => ({
  name: `Python ${library}`,
  command: [python, file("client.py"), library]
})

const nodeClient = (library: string): HttpClient => ({
  name: `Node.js ${library}`,
  command: [process.execPath, file("client.mjs"), library]
})

/** Where Go writes its program. */
const goProgram = join(mkdtempSync(join(tmpdir(), "quarry-clients-")), "client")

export const clients: ReadonlyArray<HttpClient> = [
  ...["curl", "wget"].map((name) => ({ name, command: ["bash", file("client.sh"), name] })),
  ...["urllib3", "requests", "httpx", "aiohttp"].map(pythonClient),
  ...["fetch", "axios", "got"].map(nodeClient),
  { name: "Java", command: ["java", file("Client.java")] },
  { name: "Go", command: [goProgram] },
  { name: "Ruby", command: ["ruby", file("client.rb")] },
  { name: "Perl LWP", command: ["perl", file("client.pl")] },
  { name: "PHP curl", command: ["php", file("client.php")] }
]

/** The programs of the clients that are not installed. */
export const missing = ["curl", "wget", "python3", "java", "go", "ruby", "perl", "php"].filter((program) =>
  find(program) === undefined
)

/** Compiles what is no script. */
export const compile = Effect.sync(() =>
  spawnSync("go", ["build", "-o", goProgram, file("client.go")], { encoding: "utf8" }).stderr
)

/** What a client prints for a response. The body of an error names the request, so it is not compared. */
export const resultOf = (status: number, body: Uint8Array): string =>
  `${status}\t${status < 400 ? createHash("sha256").update(body).digest("hex") : ""}`

/** Sends requests one after another with one process of the client. Returns what it prints for each. */
export const send = (
  { command: [program = "", ...args] }: HttpClient,
  requests: ReadonlyArray<Request>,
  env: Readonly<Record<string, string>>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.async((resume) => {
    const child = spawn(program, args, {
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdio: ["pipe", "pipe", "pipe"]
    })
    let [output, errors] = ["", ""]
    child.stdout.on("data", (text: Buffer) => output += text.toString())
    child.stderr.on("data", (text: Buffer) => errors += text.toString())
    child.once("close", () => {
      const lines = output.split("\n").slice(0, -1).map((line) => line.replace(/^([45]..\t).*/, "$1"))
      resume(Effect.succeed([...lines, `ended early: ${errors}`]))
    })
    child.stdin.end(
      requests.map(({ body, headers, method, url }) =>
        [method, url, Object.entries(headers).map((entry) => entry.join(": ")).join("|"), body].join("\t") +
        "\n"
      ).join("")
    )
    return Effect.sync(() => child.kill())
  })
