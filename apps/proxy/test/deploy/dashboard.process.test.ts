/** The Grafana dashboard: schema, existing metrics and completeness. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Expressions from "./support/expressions.ts"
import * as Files from "./support/files.ts"
import * as Metrics from "./support/metrics.ts"
import { promtool, promtoolSkippedSuffix, run } from "./support/program.ts"

const Text = Schema.NonEmptyTrimmedString

/** The data source that the user selects. */
const Chosen = Schema.Struct({ type: Schema.Literal("prometheus"), uid: Schema.Literal("${datasource}") })

const Position = Schema.Struct({ h: Schema.Int, w: Schema.Int, x: Schema.Int, y: Schema.Int })

const Row = Schema.Struct({
  id: Schema.Int,
  type: Schema.Literal("row"),
  title: Text,
  collapsed: Schema.Literal(false),
  gridPos: Position,
  panels: Schema.Tuple()
})

const Target = Schema.Struct({
  refId: Schema.String.pipe(Schema.pattern(/^[A-Z]$/)),
  datasource: Chosen,
  expr: Text,
  legendFormat: Schema.String,
  range: Schema.Boolean,
  instant: Schema.Boolean,
  format: Schema.optional(Schema.Literal("table"))
})

const units = ["none", "short", "percentunit", "reqps", "s", "bytes", "Bps"] as const

const Step = Schema.Struct({ color: Text, value: Schema.NullOr(Schema.Number) })

const Defaults = Schema.Struct({
  unit: Schema.optional(Schema.Literal(...units)),
  min: Schema.optional(Schema.Number),
  max: Schema.optional(Schema.Number),
  decimals: Schema.optional(Schema.Int),
  thresholds: Schema.optional(
    Schema.Struct({ mode: Schema.Literal("absolute"), steps: Schema.NonEmptyArray(Step) })
  ),
  mappings: Schema.optional(Schema.Array(Schema.Struct({
    type: Schema.Literal("value"),
    options: Schema.Record({
      key: Schema.String,
      value: Schema.Struct({ text: Text, index: Schema.Int })
    })
  }))),
  custom: Schema.optional(Schema.Object)
})

const Panel = Schema.Struct({
  id: Schema.Int,
  type: Schema.Literal("timeseries", "stat", "state-timeline", "table"),
  title: Text,
  description: Text,
  datasource: Chosen,
  gridPos: Position,
  targets: Schema.NonEmptyArray(Target),
  fieldConfig: Schema.Struct({ defaults: Defaults, overrides: Schema.Tuple() }),
  options: Schema.Object,
  transformations: Schema.optional(Schema.Array(Schema.Struct({ id: Text, options: Schema.Object })))
})

const ChosenSource = Schema.Struct({
  name: Schema.Literal("datasource"),
  label: Text,
  type: Schema.Literal("datasource"),
  query: Schema.Literal("prometheus"),
  regex: Schema.String,
  refresh: Schema.Int,
  multi: Schema.Boolean,
  includeAll: Schema.Boolean,
  hide: Schema.Int,
  current: Schema.Struct({}),
  options: Schema.Tuple()
})

const Variable = Schema.Struct({
  name: Text,
  label: Text,
  type: Schema.Literal("query"),
  datasource: Chosen,
  query: Schema.Struct({ query: Text, refId: Text }),
  refresh: Schema.Int,
  sort: Schema.Int,
  multi: Schema.Boolean,
  includeAll: Schema.Boolean,
  allValue: Text,
  hide: Schema.Int,
  current: Schema.Struct({ text: Schema.Tuple(Text), value: Schema.Tuple(Text) }),
  options: Schema.Tuple(),
  regex: Schema.String
})

const Dashboard = Schema.Struct({
  uid: Text,
  title: Text,
  description: Text,
  tags: Schema.Array(Text),
  schemaVersion: Schema.Int,
  version: Schema.Int,
  editable: Schema.Boolean,
  graphTooltip: Schema.Int,
  timezone: Text,
  refresh: Text,
  time: Schema.Struct({ from: Text, to: Text }),
  timepicker: Schema.Struct({}),
  fiscalYearStartMonth: Schema.Int,
  weekStart: Schema.String,
  links: Schema.Tuple(),
  annotations: Schema.Struct({
    list: Schema.Array(Schema.Struct({
      name: Text,
      datasource: Chosen,
      enable: Schema.Boolean,
      iconColor: Text,
      expr: Text,
      titleFormat: Text,
      step: Text
    }))
  }),
  templating: Schema.Struct({ list: Schema.Tuple([ChosenSource], Variable) }),
  panels: Schema.Array(Schema.Union(Row, Panel))
})

const parsed: unknown = JSON.parse(Files.text("grafana/quarry-proxy.json"))

const dashboard = Schema.decodeUnknownSync(Dashboard, { onExcessProperty: "error" })(parsed)

const panels = dashboard.panels.flatMap((panel) => panel.type === "row" ? [] : [panel])

const variables = dashboard.templating.list.flatMap((one) => one.type === "query" ? [one] : [])

const queries = panels.flatMap(({ targets, title }) => targets.map(({ expr }) => ({ title, expr })))

const expressions = [
  ...queries,
  ...dashboard.annotations.list.map(({ expr, name }) => ({ title: name, expr })),
  ...variables.map(({ name, query }) => ({
    title: name,
    expr: query.query.replace(/^label_values\((.*), (\w+)\)$/, "sum by ($2) ($1)")
  }))
]

/** Returns the expression as Grafana sends it. */
const filled = (expression: string): string =>
  expression.replaceAll("$__rate_interval", "5m").replaceAll(/"\$\w+"/g, `".*"`)

describe("panels", () => {
  it("have unique IDs and do not overlap", () => {
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const taken = new Map<string, string>()
    for (const { gridPos: { h, w, x, y }, title } of dashboard.panels) {
      expect([title, x >= 0 && x + w <= 24]).toEqual([title, true])
      for (let row = y; row < y + h; row += 1) {
        for (let column = x; column < x + w; column += 1) {
          expect([title, taken.get(`${row} ${column}`)]).toEqual([title, undefined])
          taken.set(`${row} ${column}`, title)
        }
      }
    }
  })

  it("have queries with unique letters and defined variables", () => {
    const names = variables.map(({ name }) => name)
    for (const { targets, title } of panels) {
      expect([title, new Set(targets.map(({ refId }) => refId)).size]).toEqual([title, targets.length])
    }
    for (const { expr, title } of queries) {
      const used = [...expr.matchAll(/"\$(\w+)"/g)].map(([, name = ""]) => name)
      expect([title, used.filter((name) => !names.includes(name) && name !== "1")]).toEqual([title, []])
      // Series of different fleets are not mixed
      expect([title, used.includes("job") && used.includes("instance")]).toEqual([title, true])
    }
  })
})

it.scopedLive("query existing metrics only, and every metric of the proxy", () =>
  Effect.gen(function*() {
    const series = yield* Metrics.knownSeries
    const found = expressions.flatMap(({ expr, title }) =>
      Expressions.unknownReferences(expr, series).map((problem) => `${title}: ${problem}`)
    )
    expect(found).toEqual([])
    const queried = Expressions.requestedMetrics(expressions.map(({ expr }) => expr))
    const left = [...series.keys()].filter((name) =>
      name.startsWith("quarry_") && !/_(?:sum|count)$/.test(name) &&
      !queried.some((one) => one === name || one === name.replace(/_bucket$/, "_sum"))
    )
    expect(left).toEqual([])
  }))

describe.runIf(promtool !== undefined)(`promtool${promtoolSkippedSuffix}`, () => {
  it("accepts every expression", () => {
    const folder = mkdtempSync(join(tmpdir(), "quarry-dashboard-"))
    const rules = expressions.map(({ expr }, index) => ({ record: `dashboard:${index}`, expr: filled(expr) }))
    writeFileSync(join(folder, "rules.yaml"), JSON.stringify({ groups: [{ name: "dashboard", rules }] }))
    const ended = run(promtool, ["check", "rules", "rules.yaml"], folder)
    rmSync(folder, { recursive: true })
    expect(ended).toEqual({ status: 0, output: expect.stringContaining(`${rules.length} rules found`) })
  })
})
