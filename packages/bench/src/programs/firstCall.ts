/**
 * `firstCall platform|blockquarry`: prints the CPU time of a call in a new process, in microseconds, without that for
 * loading the modules.
 */
import * as Effect from "effect/Effect"
import { pageSize } from "../Documents.ts"
import { firstCalls } from "../Library.ts"

const byName: Readonly<Record<string, Effect.Effect<number, unknown>>> = firstCalls
const call = byName[process.argv[2] ?? ""] ?? Effect.dieMessage("usage: firstCall platform|blockquarry")

const before = process.cpuUsage()
const records = await Effect.runPromise(call)
const { system, user } = process.cpuUsage(before)
if (records !== pageSize) throw new Error(`expected ${pageSize} records, got ${records}`)
process.stdout.write(`${user + system}\n`)
