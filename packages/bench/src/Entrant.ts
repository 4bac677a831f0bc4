/** Processes that stand before a service, as contestants: measured by their own CPU time, and watched. */
import * as Effect from "effect/Effect"
import { type Answer, connect, get } from "./Connection.ts"
import * as Load from "./Load.ts"
import * as Process from "./Process.ts"
import type { Contestant } from "./Race.ts"
import type { Service } from "./Server.ts"

/** A process that is asked. */
export interface Entrant {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What it is asked for, and what it must answer. */
export interface Document {
  readonly path: string
  readonly body: string
}

/** How a batch is asked for, and how often the service may be asked while it goes on. */
export interface Manner {
  readonly query: () => string
  readonly mayAsk: (times: number) => { readonly least: number; readonly most: number }
}

/** Always the same question. Answers are kept for seconds, so now and then it is asked anew. */
export const hits: Manner = {
  query: () => "chain=eth",
  mayAsk: (times) => ({ least: 0, most: 1 + Math.floor(times / 100) })
}

/** Never the same question twice. */
export const misses = (): Manner => {
  let asked = 0
  return {
    query: () => `chain=eth&turn=${++asked}`,
    mayAsk: (times) => ({ least: times, most: times })
  }
}

/** Each has one request under way. */
export const connections = 32

export const contestant = (
  { headers = {}, name, pid, port }: Entrant,
  { body, path }: Document,
  { mayAsk, query }: Manner,
  service: Service
): Contestant => {
  const bytes = Buffer.from(body)
  const next = () => get(`${path}?${query()}`, headers)
  const isRight = (answer: Answer) => answer.status === 200 && answer.body.byteLength === bytes.byteLength
  const first = Effect.promise(async () => {
    const connection = await connect(port)
    const answer = await connection.ask(next())
    connection.hangUp()
    return answer
  })
  const otherwise = ({ body, head }: Answer) =>
    Effect.dieMessage(`${name} answered ${head}${body.toString()}`)
  const batch = (times: number) =>
    Effect.gen(function*() {
      // The first one is read to the last byte, and brings back what is kept; of the others the length will do.
      const answer = yield* first
      if (!bytes.equals(answer.body)) return yield* otherwise(answer)
      const before = yield* service.asked
      const { right, wrong } = yield* Load.run({ port, connections, next, isRight }, times)
      const asked = (yield* service.asked) - before
      if (wrong !== undefined) return yield* otherwise(wrong)
      const { least, most } = mayAsk(times)
      if (asked >= least && asked <= most) return right
      const expected = least === most ? `${least}` : `${least} to ${most}`
      return yield* Effect.dieMessage(
        `${name} asked the service ${asked} times for ${times} requests, expected ${expected}`
      )
    })
  return { name, clock: Process.cpu(pid), batch }
}
