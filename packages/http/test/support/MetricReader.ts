/** Measures increases of metrics, because metrics are global to the process. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"

type Labels = Readonly<Record<string, string>>

/** Returns a metric with labels. */
const withLabels = <Type, In, Out>(
  metric: Metric.Metric<Type, In, Out>,
  labels: Labels
): Metric.Metric<Type, In, Out> =>
  Metric.taggedWithLabels(
    metric,
    Object.entries(labels).map(([name, value]) => MetricLabel.make(name, value))
  )

/** Returns the increase of a counter during a call. */
export const increaseOf = <A, E, R>(
  counter: Metric.Metric.Counter<number>,
  labels: Labels,
  call: Effect.Effect<A, E, R>
): Effect.Effect<number, E, R> =>
  Effect.gen(function*() {
    const tagged = withLabels(counter, labels)
    const before = yield* Metric.value(tagged)
    yield* call
    return (yield* Metric.value(tagged)).count - before.count
  })
