/** Exports to temporary files, from sandboxes that several runs share. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import { parquetReadObjects } from "hyparquet"
import { randomUUID } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { expect, onTestFinished } from "vitest"
import { PartLimits } from "../../src/export/ExportPlan.ts"
import { ownHost } from "../../src/files/FileLock.ts"
import { quarry, type RunOptions, type RunResult, sandboxEnvironment, withSharedLedger } from "./quarry.ts"

/** A place for small files in memory, if there is one: what is written is synced, which takes time on a disk. */
export const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

/** Returns a new folder that is removed after the test. */
export const temporaryFolder = (parent = tmpdir(), name = "quarry-test-"): string => {
  const folder = mkdtempSync(join(parent, name))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the name of the file in the lock of a process. */
export const lockName = (pid: number, start = "", host = ownHost()): string =>
  `${pid}_${start}_${randomUUID()}_${encodeURIComponent(host)}`

/** Real parts are 20 times larger, as are real pages. */
export const partLimits = { records: 500, bytes: 2 ** 20 }

/**
 * A sandbox whose busy wallet has transfers on pages of up to 50, of which 10 make a part, and the file in a new folder to which
 * `argv` exports them.
 */
export const exportTo = async (name: string, options: Sandbox.SandboxOptions = {}) => {
  const sandbox = await Effect.runPromise(
    Sandbox.make(withSharedLedger({ maxLimit: 50, defaultPageSize: 50, ...options }))
  )
  const client = Sandbox.httpClient(sandbox)
  const wallet = sandbox.ledger.examples.busyWallet
  const folder = temporaryFolder(memory)
  const file = join(folder, name)
  const list = ["wallet", "transfers", wallet]
  /** Runs a command. After `requests` requests, every response has status 400. */
  const run = (
    argv: ReadonlyArray<string>,
    { partBytes = partLimits.bytes, requests = Infinity, ...options }: RunOptions & {
      readonly requests?: number
      readonly partBytes?: number
    } = {}
  ): Promise<RunResult> => {
    let sent = 0
    const limited = HttpClient.make((request) =>
      ++sent <= requests
        ? client.execute(request)
        : Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}", { status: 400 })))
    )
    const env = { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" }
    return Effect.runPromise(
      quarry(argv, { client: limited, env, ...options }).pipe(
        Effect.provideService(PartLimits, { ...partLimits, bytes: partBytes })
      )
    )
  }
  return { sandbox, run, wallet, folder, file, list, argv: [...list, "--to", file] }
}

/** The result of a command that refuses its options. */
export const refused = (message: string) => ({ code: 2, err: expect.stringContaining(message) })

/** Returns the names of the files in a folder. */
export const filesIn = (folder: string): ReadonlyArray<string> => readdirSync(folder).sort()

/** Reads the rows of a parquet file. */
export const readParquet = (file: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const bytes = readFileSync(file)
  return parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    compressors: { GZIP: (input) => gunzipSync(input) }
  })
}
