/** Records of the spans that a collector receives for requests. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { describe, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import * as Otlp from "../../src/observability/Otlp.ts"
import * as OtlpCollector from "../support/OtlpCollector.ts"
import { examples, sendRequest, start, testConfig } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { matches, named, pretty } from "./support/golden.ts"

interface Span {
  readonly id: string
  readonly parent: string
  readonly start: string
  readonly text: object
}

/** Returns all nested objects that have a field. */
const having = (member: string, value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value)
    ? value.flatMap((one) => having(member, one))
    : Predicate.isRecord(value)
    ? [...(member in value ? [value] : []), ...Object.values(value).flatMap((one) => having(member, one))]
    : []

const attributesOf = (attributes: unknown): object =>
  Object.fromEntries(
    having("key", attributes)
      .map(({ key, value }) => [String(key), Object.values(Object(value))[0]] as const)
      .sort(([one], [other]) => one < other ? -1 : 1)
  )

const spanOf = (
  { attributes, events, kind, name, parentSpanId = "", spanId, startTimeUnixNano, status, traceId }: Readonly<
    Record<string, unknown>
  >
): Span => ({
  id: String(spanId),
  parent: String(parentSpanId),
  start: String(startTimeUnixNano),
  text: {
    name,
    kind,
    status,
    trace: traceId === trace ? "of the client" : "its own",
    attributes: attributesOf(attributes),
    events: having("name", events).map(({ attributes, name }) => ({
      name,
      attributes: attributesOf(attributes)
    }))
  }
})

const trace = "0af7651916cd43dd8448eb211c80319c"

const tree = (spans: ReadonlyArray<Span>, parent: string): ReadonlyArray<object> =>
  spans.filter((span) => span.parent === parent)
    .sort((one, other) => BigInt(one.start) < BigInt(other.start) ? -1 : 1)
    .map(({ id, text }) => ({ ...text, children: tree(spans, id) }))

describe("golden records", () => {
  it("of spans", async () => {
    const parent = "b7ad6b7169203331"
    const bodies = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const { received, url } = yield* OtlpCollector.make
      yield* Effect.scoped(Effect.gen(function*() {
        const { port, sandbox } = yield* start({
          tracingEnabled: true,
          config: { ...testConfig(), cache: defaults.cache }
        })
        const requests: ReadonlyArray<readonly [path: string, id: string]> = [
          [sampleRequests["tokenPrice"]?.path ?? "", "miss"],
          [sampleRequests["tokenPrice"]?.path ?? "", "hit"],
          [`/api/v2.2/erc20/${examples.unpricedToken}/price?chain=eth`, "not-found"],
          ["/nowhere", "unknown-path"],
          [`/all/api/v2.2/erc20/${examples.token}/owners?chain=eth&limit=20`, "list"]
        ]
        for (const [path, id] of requests) {
          yield* sendRequest(port, path, {
            headers: { traceparent: `00-${trace}-${parent}-01`, "x-request-id": id }
          })
        }
        yield* sandbox.queueFaults({ status: 503 }, { status: 400 })
        yield* sendRequest(port, sampleRequests["nftMetadata"]?.path ?? "", {
          headers: { traceparent: `00-${trace}-${parent}-01`, "x-request-id": "retry" }
        })
      })).pipe(
        Effect.provide(Layer.provide(
          Otlp.layer("1.2.3"),
          Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["OTEL_EXPORTER_OTLP_ENDPOINT", url]])))
        ))
      )
      return received.filter(({ path }) => path === "/v1/traces").map(({ body }) => body)
    })))
    const documents: ReadonlyArray<unknown> = bodies.map((body) => JSON.parse(body))
    const spans = documents.flatMap((document) => having("spanId", document)).map(spanOf)
    const resource = attributesOf(having("resource", documents)[0]?.["resource"])
    const text = pretty({ resource, spans: tree(spans, parent), others: tree(spans, "") })
    await matches(named(text, []), "spans.json")
  })
})
