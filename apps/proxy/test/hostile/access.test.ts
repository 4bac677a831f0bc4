/**
 * The attack table: requests for what clients may not read, in every spelling, for every operation, all refused before the
 * upstream is asked; and what they may read, all served.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import type { ClientConfig } from "../../src/config/Config.ts"
import { defaults } from "../../src/config/Config.ts"
import {
  type AccessRequest,
  clients,
  passedThrough,
  restricted,
  rules,
  scoped,
  servedWithoutRestrictions,
  unrestricted
} from "./corpus/access.ts"
import * as Harness from "./harness.ts"
import { bytes, exchange, type ParsedResponse, parseResponses } from "./rawHttp.ts"

const inKeyHeader = (token: string): ReadonlyArray<string> => [`X-API-Key: ${token}`]

const toBytes = (
  { body, client, credentials = inKeyHeader, method, target }: AccessRequest,
  isLast: boolean
): Buffer => {
  const lines = [
    "Host: localhost",
    ...(client === null ? [] : credentials(client)),
    ...(typeof body === "string"
      ? ["Content-Type: application/json", `Content-Length: ${body.length}`]
      : []),
    ...(isLast ? ["Connection: close"] : [])
  ]
  return bytes(
    `${method} ${target} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n${body ?? ""}`
  )
}

/** Sends requests on one connection, and what follows a response that ends it on another. */
const sendBatch = (
  port: number,
  requests: ReadonlyArray<AccessRequest>
): Effect.Effect<ReadonlyArray<ParsedResponse>> =>
  Effect.flatMap(
    exchange(
      port,
      Buffer.concat(requests.map((request, index) => toBytes(request, index === requests.length - 1)))
    ),
    (stream) => {
      const { responses } = parseResponses(stream, (index) => requests[index]?.method === "HEAD")
      const rest = requests.slice(responses.length)
      if (responses.length === 0) return Effect.die(new Error(`no response to ${rest[0]?.target}: ${stream}`))
      return rest.length === 0
        ? Effect.succeed(responses)
        : Effect.map(sendBatch(port, rest), (others) => [...responses, ...others])
    }
  )

const sendAll = (port: number, requests: ReadonlyArray<AccessRequest>) =>
  Effect.map(
    Effect.forEach(Arr.chunksOf(requests, 32), (batch) => sendBatch(port, batch), { concurrency: 4 }),
    (responses) => responses.flat()
  )

/** The status of a response, with the code of an error. The response to a HEAD has no code. */
const outcomeOf = ({ body, status }: ParsedResponse): string => {
  const code = /"code":"([\w-]+)"/.exec(body)?.[1]
  return status < 400 || code === undefined ? String(status) : `${status} ${code}`
}

/** Returns the requests with another response than the expected ones. */
const unexpected = (port: number, requests: ReadonlyArray<AccessRequest>) =>
  Effect.map(
    sendAll(port, requests),
    (responses) =>
      requests.flatMap(({ client, expected, method, target }, index) => {
        const response = responses[index]
        const actual = response === undefined ? "none" : outcomeOf(response)
        return expected.some((one) => actual === (method === "HEAD" ? one.slice(0, 3) : one))
          ? []
          : [`${client} ${method} ${target}: ${actual}, expected ${expected.join(" or ")}`]
      })
  )

const start = (clients: ReadonlyArray<ClientConfig>) =>
  Harness.start({
    limits: { maxRejectionRate: 1_000_000, maxListsPerClient: 1000, requestTimeout: Duration.minutes(5) },
    config: { clients, cache: defaults.cache, passthrough: { default: "reads", rules } }
  })

const requestLines = (requests: ReadonlyArray<string>) => requests.map((request) => request.split("\r\n")[0])

// The distances of samples have no factor in common with the numbers of methods, forms and credentials.
const tables = {
  "for other chains and contracts": { ...restricted, attacks: sample(restricted.attacks, 13) },
  "without the scope or a token": { ...scoped, attacks: sample(scoped.attacks, 7) },
  "that no operation describes": { ...passedThrough, attacks: sample(passedThrough.attacks, 11) }
}

describe.each(Object.entries(tables))("requests %s", (_, { attacks, served }) => {
  it.scopedLive(`are refused (${attacks.length}), and the upstream is asked nothing`, () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* start(clients)
      expect(yield* unexpected(port, attacks)).toEqual([])
      expect(requestLines(upstream.requests())).toEqual([])
      // A client that may read everything has had the same request, which the proxy remembers with its response.
      const again = sample(attacks, 5)
      for (const _ of [1, 2]) yield* sendAll(port, again.map((one) => ({ ...one, client: "everything" })))
      upstream.clear()
      expect(yield* unexpected(port, again)).toEqual([])
      expect(requestLines(upstream.requests())).toEqual([])
    }))

  it.scopedLive(`have others that are served (${served.length})`, () =>
    Effect.gen(function*() {
      const { port } = yield* start(clients)
      expect(yield* unexpected(port, sample(served, 11))).toEqual([])
    }))
})

it.scopedLive(`a proxy without restricted clients serves all (${servedWithoutRestrictions.length})`, () =>
  Effect.gen(function*() {
    const { port } = yield* start([unrestricted])
    expect(yield* unexpected(port, sample(servedWithoutRestrictions, 29))).toEqual([])
  }))
