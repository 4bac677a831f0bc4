/** Line charts over time, drawn as SVG. Pointing at a chart, or the arrow keys, select a moment and show its values. */
import { h, s } from "../../../docs/page/browser/dom.ts"
import * as Format from "./formatting.ts"

export interface ChartLine<Point> {
  readonly name: string
  /** CSS class that sets the color: `strong`, `middle`, `weak` or `bad`. */
  readonly style: string
  readonly value: (point: Point) => number | null
}

export interface ChartOptions<Point> {
  readonly title: string
  readonly lines: ReadonlyArray<ChartLine<Point>>
  readonly format: (value: number) => string
  /** `logarithmic` for values that differ by orders of magnitude; `fraction` for values from 0 to 1. */
  readonly scale: "linear" | "logarithmic" | "fraction"
}

export interface TimedPoint {
  readonly at: number
}

export const makeChart = <Point extends TimedPoint>(
  container: HTMLElement,
  { format, lines, scale, title }: ChartOptions<Point>
) => {
  const height = 168
  const inset = { left: 52, right: 10, top: 8, bottom: 22 }
  const values = lines.map(() => h("b.number"))
  const timeLabel = h("span.muted number when")
  const announcement = h("output.unseen", { "aria-live": "polite" })
  const drawing = s("svg", { class: "chart", tabindex: 0, role: "img", height })
  container.replaceChildren(
    h(
      "figcaption",
      h("h3", title),
      timeLabel,
      h(
        "ul.legend",
        ...lines.map(({ style, name }, index) =>
          h("li", h("i", { class: style, "aria-hidden": "true" }), name, " ", values[index] ?? "")
        )
      )
    ),
    drawing,
    announcement
  )

  let points: ReadonlyArray<Point> = []
  let selectedIndex: number | null = null

  /** Returns the values to mark on the vertical axis. The first and the last enclose all given values. */
  const axisMarks = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
    if (scale === "fraction") return [0, 0.25, 0.5, 0.75, 1]
    const known = values.filter((value) => value > 0)
    const highest = known.length === 0 ? 1 : Math.max(...known)
    if (scale === "logarithmic") {
      const from = Math.floor(Math.log10(known.length === 0 ? 1 : Math.min(...known)))
      const to = Math.max(from + 1, Math.ceil(Math.log10(highest)))
      return Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index))
    }
    // Three or four steps, each 1, 2 or 5 times a power of ten
    const rough = highest / 3
    const power = 10 ** Math.floor(Math.log10(rough))
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? rough
    return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step)
  }

  const draw = () => {
    const width = container.clientWidth
    const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
    const marks = axisMarks(points.flatMap((point) => lines.map(({ value }) => value(point) ?? 0)))
    const [lowest, highest] = [marks[0] ?? 0, marks.at(-1) ?? 1]
    const x = (at: number) =>
      inset.left +
      (width - inset.left - inset.right) * (last === first ? 1 : (at - first) / (last - first))
    const fraction = (value: number) =>
      scale === "logarithmic"
        ? Math.log(Math.max(value, lowest) / lowest) / Math.log(highest / lowest)
        : value / highest
    const y = (value: number) => height - inset.bottom - (height - inset.top - inset.bottom) * fraction(value)

    /** Returns the path of a line. The line has gaps where values are unknown; an isolated value is a dot. */
    const path = ({ value }: ChartLine<Point>) =>
      points.map((point, index) => {
        const [here, before] = [value(point), index === 0 ? null : value(points[index - 1] ?? point)]
        if (here === null) return ""
        const coordinates = `${x(point.at).toFixed(1)} ${y(here).toFixed(1)}`
        return before === null ? `M${coordinates}h0.01` : `L${coordinates}`
      }).join("")

    const horizontal = marks.map((mark) =>
      s(
        "g",
        s("line", {
          class: mark === lowest ? "base" : "rule",
          x1: inset.left,
          x2: width - inset.right,
          y1: y(mark),
          y2: y(mark)
        }),
        s("text", { x: inset.left - 8, y: y(mark) + 4, "text-anchor": "end" }, format(mark))
      )
    )
    const spacing = [15, 30, 60, 120, 180, 300].map((seconds) => seconds * 1000)
      .find((spacing) => (last - first) / spacing <= (width - inset.left) / 80) ?? 300_000
    const firstMark = Math.ceil(first / spacing) * spacing
    const vertical = Array.from(
      { length: Math.max(0, Math.floor((last - firstMark) / spacing) + 1) },
      (_, index) => {
        const at = firstMark + index * spacing
        const edge = x(at) > width - 24 ? "end" : "middle"
        return s(
          "text",
          { x: x(at), y: height - 4, "text-anchor": edge },
          spacing < 60_000 ? Format.clock(at) : Format.minute(at)
        )
      }
    )
    const area = scale === "logarithmic" || points.length < 2 ? [] : [
      s("path", {
        class: "area",
        d: `M${x(first)} ${y(lowest)}${
          points.map((point) => `L${x(point.at).toFixed(1)} ${y(lines[0]?.value(point) ?? 0).toFixed(1)}`)
            .join("")
        }L${x(last)} ${y(lowest)}Z`
      })
    ]
    const at = selectedIndex === null ? undefined : points[selectedIndex]
    const cursor = at === undefined ? [] : [
      s("line", { class: "cursor", x1: x(at.at), x2: x(at.at), y1: inset.top, y2: height - inset.bottom }),
      ...lines.flatMap(({ style, value }) => {
        const height = value(at)
        return height === null ? [] : [s("circle", { class: style, cx: x(at.at), cy: y(height), r: 3.5 })]
      })
    ]
    drawing.setAttribute("width", String(width))
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`)
    drawing.replaceChildren(
      ...horizontal,
      ...vertical,
      ...area,
      ...lines.map((line) => s("path", { class: `line ${line.style}`, d: path(line) })).reverse(),
      ...cursor
    )
    describeSelection(at)
  }

  /** Shows and returns the selected values, or the latest ones if none are selected. */
  const describeSelection = (selected: Point | undefined) => {
    const point = selected ?? points.at(-1)
    const texts = lines.map(({ value }) => {
      const known = point === undefined ? null : value(point)
      return known === null ? "–" : format(known)
    })
    texts.forEach((text, index) => {
      const label = values[index]
      if (label !== undefined) label.textContent = text
    })
    timeLabel.textContent = selected === undefined ? "" : Format.clock(selected.at)
    const description = lines.map(({ name }, index) => `${name} ${texts[index]}`).join(", ")
    drawing.setAttribute("aria-label", `${title}: ${description}. Use the arrow keys to read earlier values.`)
    return `${timeLabel.textContent} ${description}`
  }

  const select = (index: number | null) => {
    selectedIndex = index === null ? null : Math.max(0, Math.min(points.length - 1, index))
    draw()
  }
  drawing.addEventListener("pointermove", ({ clientX }) => {
    const { left, width } = drawing.getBoundingClientRect()
    const fraction = (clientX - left - inset.left) / (width - inset.left - inset.right)
    if (points.length > 0) select(Math.round(fraction * (points.length - 1)))
  })
  drawing.addEventListener("pointerleave", () => select(null))
  drawing.addEventListener("blur", () => select(null))
  drawing.addEventListener("keydown", (event) => {
    const last = points.length - 1
    const moves: Readonly<Record<string, number | null>> = {
      ArrowLeft: (selectedIndex ?? last + 1) - 1,
      ArrowRight: (selectedIndex ?? last) + 1,
      Home: 0,
      End: last,
      Escape: null
    }
    const to = moves[event.key]
    if (to === undefined) return
    event.preventDefault()
    select(to)
    announcement.textContent = to === null ? "" : describeSelection(points[selectedIndex ?? last])
  })
  new ResizeObserver(draw).observe(container)

  return (next: ReadonlyArray<Point>) => {
    // The selection stays at its moment while the points move on
    const at = selectedIndex === null ? undefined : points[selectedIndex]?.at
    points = next
    if (at !== undefined) {
      const index = points.findIndex((point) => point.at === at)
      selectedIndex = index < 0 ? null : index
    }
    draw()
  }
}
