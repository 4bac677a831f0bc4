/** Line charts over time, drawn as SVG. Pointing at a chart, or its slider, selects a moment and shows its values. */
import type { StatusPoint } from "../../Status.ts"
import { h, s } from "./dom.ts"
import * as Format from "./formatting.ts"

/** A point of the status. `at` is in milliseconds since 1970. */
export type ChartPoint = Omit<StatusPoint, "at"> & { readonly at: number }

interface ChartLine {
  readonly name: string
  /** CSS class that sets the color: `strong`, `middle`, `weak` or `bad`. */
  readonly style: string
  readonly value: (point: ChartPoint) => number | null
}

interface ChartOptions {
  readonly title: string
  readonly lines: ReadonlyArray<ChartLine>
  readonly format: (value: number) => string
  /** `logarithmic` for values that differ by orders of magnitude; `fraction` for values from 0 to 1. */
  readonly scale: "linear" | "logarithmic" | "fraction"
}

/** The size of the coordinate system, which is stretched to that of the chart. */
const [width, height] = [1000, 100]

export const makeChart = (container: HTMLElement, { format, lines, scale, title }: ChartOptions) => {
  const caption = h("figcaption")
  const labels = h("div.labels")
  const drawing = s("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none" })
  // Selects a moment with the keyboard and with touch, and reads its values aloud
  const slider = document.createElement("input")
  slider.type = "range"
  slider.ariaLabel = title
  container.replaceChildren(caption, h("div.chart", labels, drawing, slider))

  let points: ReadonlyArray<ChartPoint> = []
  /** The selection stays at its moment while the points move on. */
  let selectedAt: number | null = null

  const draw = () => {
    const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0]
    const known = points.flatMap((point) => lines.map(({ value }) => value(point) ?? 0))
      .filter((value) => value > 0)
    const highest = scale === "fraction" || known.length === 0 ? 1 : Math.max(...known)
    const lowest = scale === "logarithmic" ? Math.min(highest / 10, ...known) : 0
    const x = (at: number) => (width * (last === first ? 1 : (at - first) / (last - first))).toFixed(1)
    const y = (value: number) => {
      const fraction = scale === "logarithmic"
        ? Math.log(Math.max(value, lowest) / lowest) / Math.log(highest / lowest)
        : value / highest
      return (height * (1 - fraction)).toFixed(1)
    }

    /** Returns the path of a line. The line has gaps where values are unknown; an isolated value is a dot. */
    const path = ({ value }: ChartLine) =>
      points.map((point, index) => {
        const [known, before] = [value(point), points[index - 1]]
        const command = before === undefined || value(before) === null ? "M" : "L"
        return known === null ? "" : `${command}${x(point.at)} ${y(known)}h0.01`
      }).join("")

    const selected = points.find(({ at }) => at === selectedAt)
    drawing.replaceChildren(
      ...lines.map((line) => s("path", { class: `line ${line.style}`, d: path(line) })).reverse(),
      ...(selected === undefined ? [] : [s("path", { class: "cursor", d: `M${x(selected.at)} 0V${height}` })])
    )
    const timeOf = (point: ChartPoint | undefined) => point === undefined ? "" : Format.time(point.at)
    const texts = {
      high: format(highest),
      low: format(lowest),
      from: timeOf(points[0]),
      to: timeOf(points.at(-1))
    }
    labels.replaceChildren(
      ...Object.entries(texts).map(([name, text]) => h(`span.muted number ${name}`, text))
    )
    showValues(selected ?? points.at(-1), timeOf(selected))
  }

  /** Shows the selected values, or the latest ones if none are selected. */
  const showValues = (point: ChartPoint | undefined, moment: string) => {
    const values = lines.map(({ name, style, value }) => {
      const known = point === undefined ? null : value(point)
      return { name, style, text: known === null ? "–" : format(known) }
    })
    const legend = values.map(({ name, style, text }) =>
      h("li", h("i", { class: style, "aria-hidden": "true" }), name, " ", h("b.number", text))
    )
    caption.replaceChildren(h("h3", title), h("span.muted number when", moment), h("ul.legend", ...legend))
    slider.max = String(points.length - 1)
    slider.value = String(points.findIndex((each) => each === point))
    slider.ariaValueText = `${moment} ${values.map(({ name, text }) => `${name} ${text}`).join(", ")}`
  }

  const select = (index: number) => {
    selectedAt = points[index]?.at ?? null
    draw()
  }
  slider.addEventListener(
    "pointermove",
    ({ offsetX }) => select(Math.round((offsetX / slider.clientWidth) * (points.length - 1)))
  )
  for (const event of ["focus", "input"]) slider.addEventListener(event, () => select(slider.valueAsNumber))
  for (const event of ["pointerleave", "blur"]) slider.addEventListener(event, () => select(-1))

  return (next: ReadonlyArray<ChartPoint>) => {
    points = next
    draw()
  }
}
