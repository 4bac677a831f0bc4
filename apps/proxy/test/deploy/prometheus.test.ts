/** Alert rules: syntax, existing metrics, and thresholds that match the configuration. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { defaults } from "../../src/config/Config.ts"
import * as Configs from "./support/configs.ts"
import * as Expressions from "./support/expressions.ts"
import * as Files from "./support/files.ts"
import * as Metrics from "./support/metrics.ts"
import { promtool, promtoolSkippedSuffix, run } from "./support/program.ts"
import * as PromQl from "./support/promql.ts"

const folder = `${Files.folder}prometheus`

const Text = Schema.NonEmptyTrimmedString

const Alert = Schema.Struct({
  alert: Text,
  expr: Text,
  for: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d+m$/))),
  labels: Schema.Struct({ severity: Schema.Literal("critical", "warning") }),
  annotations: Schema.Struct({ summary: Text, description: Text, runbook: Text })
})

const Record = Schema.Struct({
  record: Text,
  expr: Text,
  labels: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
})

const Rules = Schema.Struct({
  groups: Schema.Array(Schema.Struct({
    name: Text,
    interval: Schema.optional(Schema.String),
    rules: Schema.Array(Schema.Union(Alert, Record))
  }))
})

const rules = Schema.decodeUnknownSync(Rules, { onExcessProperty: "error" })(
  Files.document("prometheus/rules.yaml")
)
  .groups.flatMap((group) => group.rules)

const alerts = rules.flatMap((rule) => "alert" in rule ? [rule] : [])

const records = rules.flatMap((rule) => "record" in rule ? [rule] : [])

const Tests = Schema.Struct({
  tests: Schema.Array(
    Schema.Struct({ name: Text, input_series: Schema.Array(Schema.Struct({ series: Text })) })
  )
})

const document = Files.document("prometheus/rules.test.yaml")

const tests = Schema.decodeUnknownSync(Tests, { onExcessProperty: "preserve" })(document).tests

/** The number of a recording rule. */
const number = (record: string, client?: string): number => {
  const found = records.find((one) => one.record === record && one.labels?.["client"] === client)
  return Number(/^vector\((\d+)\)$/.exec(found?.expr ?? "")?.[1])
}

it.runIf(process.env["QUARRY_CHECK"] === "1")("a full check requires promtool", () => {
  expect(promtool).toBeDefined()
})

describe.runIf(promtool !== undefined)(`promtool${promtoolSkippedSuffix}`, () => {
  it("accepts the rules", () => {
    expect(run(promtool, ["check", "rules", "rules.yaml"], folder)).toMatchObject({ status: 0 })
  })

  it("passes the rule tests: each alert fires only when it must", () => {
    // Those of alerts that look back for hours take long
    const chosen = tests.filter((test) => isFull || !/"\d+h/.test(JSON.stringify(test)))
    const file = join(mkdtempSync(join(tmpdir(), "quarry-rules-")), "rules.test.yaml")
    onTestFinished(() => rmSync(dirname(file), { recursive: true }))
    writeFileSync(file, JSON.stringify({ ...document, rule_files: [`${folder}/rules.yaml`], tests: chosen }))
    expect(run(promtool, ["test", "rules", file], folder)).toMatchObject({ status: 0 })
  })

  it("accepts the Prometheus configuration of the Compose file", () => {
    expect(run(promtool, ["check", "config", "prometheus.yaml"], folder)).toMatchObject({ status: 0 })
  })
})

describe("every alert", () => {
  it("has a test under its name, with series that do not trigger it", () => {
    for (const { alert } of alerts) {
      const series = tests.filter(({ name }) => name === alert).flatMap((test) => test.input_series)
      expect([alert, series.some((one) => one.series.includes(`namespace="ill"`))]).toEqual([alert, true])
      const compared = series.some((one) => one.series.includes(`namespace="well"`)) ||
        alert === "QuarryProxyAbsent"
      expect([alert, compared]).toEqual([alert, true])
    }
  })

  it("has a unique name, and refers to existing alerts", () => {
    const names = alerts.map(({ alert }) => alert)
    expect(new Set(names).size).toBe(names.length)
    for (const { alert, annotations } of alerts) {
      const named = [annotations.description, annotations.runbook].join(" ").match(/\bQuarry[A-Z]\w+/g) ?? []
      expect([alert, named.filter((name) => !names.includes(name))]).toEqual([alert, []])
    }
  })
})

it.scopedLive("every rule queries existing metrics", () =>
  Effect.gen(function*() {
    const series = yield* Metrics.knownSeries
    const recorded = records.map(({ record }) => record)
    const found = rules.flatMap((rule) =>
      Expressions.unknownReferences(rule.expr, series, recorded).map((problem) =>
        `${"alert" in rule ? rule.alert : rule.record}: ${problem}`
      )
    )
    expect(found).toEqual([])
    // Annotations also name existing metrics
    const texts = alerts.flatMap(({ annotations }) => Object.values(annotations)).join(" ")
    const named = texts.match(/\b(?:quarry|process|nodejs)_[a-z_:]+/g) ?? []
    expect(named.filter((name) => ![...series.keys(), ...recorded].some((known) => known.startsWith(name))))
      .toEqual([])
  }))

describe("thresholds match the configuration", () => {
  for (const which of Configs.all) {
    it.effect(`of ${which}`, () =>
      Effect.gen(function*() {
        const { config } = yield* Configs.load(which)
        const { clients, shutdown, limits, upstream } = config
        const perDay = upstream.keys.reduce((sum, key) => sum + (key.dailyQuota ?? Number.NaN), 0)
        expect(number("quarry_proxy:plan_units_per_day")).toBe(perDay)
        expect(number("quarry_proxy:max_concurrent_requests")).toBe(limits.maxConcurrentRequests)
        expect(number("quarry_proxy:max_connections")).toBe(limits.maxConnections)
        for (const { name, dailyQuota } of clients) {
          expect([name, number("quarry_proxy:client_units_per_day", name)]).toEqual([name, dailyQuota])
        }
        const stuck = alerts.find(({ alert }) => alert === "QuarryProxyShutdownStuck")?.for ?? "0m"
        expect(Number.parseInt(stuck, 10) * 60_000)
          .toBeGreaterThanOrEqual(Duration.toMillis(shutdown.delay) + Duration.toMillis(shutdown.timeout))
      }))
  }

  it("and the defaults, for values that no deployment sets", () => {
    expect(number("quarry_proxy:max_connections")).toBe(defaults.limits.maxConnections)
  })
})

describe("the expression parser", () => {
  it("finds metrics, labels and grouping labels", () => {
    expect(PromQl.read(
      `sum by (job, le) (rate(a_total{code=~"x|y", z!="1"}[5m])) > on (job) group_left () 0.8 * b:c and d == 1e3`
    )).toEqual({
      selectors: [
        {
          metric: "a_total",
          matchers: [{ label: "code", operator: "=~", value: "x|y" }, {
            label: "z",
            operator: "!=",
            value: "1"
          }]
        },
        { metric: "b:c", matchers: [] },
        { metric: "d", matchers: [] }
      ],
      grouped: ["job", "le", "job"]
    })
    expect(PromQl.read(`label_replace(a, "b", "$1", "c", "(.*)")`).selectors).toEqual([
      { metric: "a", matchers: [] }
    ])
  })

  it.effect("reports unknown metrics and labels", () =>
    Effect.sync(() => {
      const series = new Map([["quarry_proxy_rejected_total", new Set(["code"])]])
      const found = (expression: string) => Expressions.unknownReferences(expression, series)
      expect(found(`quarry_proxy_rejected_total{code="client-rate-limited", job="a"}`)).toEqual([])
      expect(found("rate(quarry_other_total[5m])")).toHaveLength(1)
      expect(found(`quarry_proxy_rejected_total{cod="client-rate-limited"}`)).toHaveLength(1)
      expect(found(`quarry_proxy_rejected_total{code="client-rate-limits"}`)).toHaveLength(1)
      expect(found(`quarry_proxy_rejected_total{code="upstream-timeout"}`)).toHaveLength(1)
      expect(found("sum by (cod) (quarry_proxy_rejected_total)")).toHaveLength(1)
    }))
})
