/** Tables that are filtered, sorted and cut off to their first rows, so that a hundred rows stay readable. */
import { byId, type Child, h } from "./dom.ts"
import * as Format from "./formatting.ts"

/** `key`: what rows are sorted by; texts ascending, numbers descending. */
export type Column<Row> = readonly [
  label: string,
  style: string,
  cell: (row: Row) => Child,
  key?: (row: Row) => number | string
]

/** Creates columns of numbers, such as `Upstream cost` of `upstreamCost`. */
export const counts = <Name extends string>(...names: ReadonlyArray<Name>) =>
  names.map((name): Column<Readonly<Record<Name, number>>> => [
    name.charAt(0).toUpperCase() + name.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    "number",
    (row) => h(`span.${name === "failures" && row[name] > 0 ? "bad" : ""}`, Format.number(row[name])),
    (row) => row[name]
  ])

/** Creates a column of names. */
export const names = <Row>(
  label: string,
  value: (row: Row) => string,
  show: (name: string, row: Row) => Child = (name) => h("span.mono", name)
): Column<Row> => [label, "", (row) => show(value(row), row), value]

/** Fewer rows need no tools. */
const minToolRows = 8

/** On a phone each row is as high as eight. */
const firstRows = matchMedia("(max-width: 820px)").matches ? 5 : 20

const compare = (one: number | string, other: number | string): number =>
  typeof one === "number" && typeof other === "number"
    ? other - one
    : String(one).localeCompare(String(other))

/** Replaces the children of an element if they differ, so that selections and focus survive a refresh. */
export const replaceIfChanged = (element: Element, nodes: ReadonlyArray<Node>): void => {
  const unchanged = element.childNodes.length === nodes.length &&
    nodes.every((node, index) => element.childNodes[index]?.isEqualNode(node))
  if (!unchanged) element.replaceChildren(...nodes)
}

/** Adds a panel with a table to the page. Returns a function that shows rows, or hides the panel if they are null. */
export const makeTable = <Row>(
  name: string,
  title: string,
  columns: ReadonlyArray<Column<Row>>
) => {
  let rows: ReadonlyArray<Row> = []
  let showsAll = false
  const filter = document.createElement("input")
  filter.type = "search"
  filter.placeholder = "Filter"
  filter.ariaLabel = `Filter ${name}`
  const sorts = new Map(
    columns.flatMap(([label, , , key]) => key === undefined ? [] : [[`By ${label.toLowerCase()}`, key]])
  )
  const sort = document.createElement("select")
  sort.ariaLabel = `Sort ${name}`
  sort.append(...["Default order", ...sorts.keys()].map((text) => h("option", text)))
  const tools = h("div.tools", filter, sort)
  const body = h("tbody")
  const head = h(
    "thead",
    h("tr", ...columns.map(([label, style]) => h(`th.${style}`, { scope: "col" }, label)))
  )
  const table = h("table", { "aria-label": name }, head, body)
  const note = h("p.muted")
  const more = h("button", { type: "button" })
  const panel = h(
    "section.panel",
    { id: name, "aria-label": title },
    h("h2", title),
    tools,
    table,
    note,
    more
  )
  byId("status").append(panel)

  const draw = (): void => {
    const key = sorts.get(sort.value)
    const sorted = key === undefined ? rows : [...rows].sort((one, other) => compare(key(one), key(other)))
    const wanted = filter.value.trim().toLowerCase()
    const lines = sorted.map((row) =>
      h(
        "tr",
        ...columns.map(([label, style, cell]) => h(`td.${style}`, { "data-label": label }, cell(row)))
      )
    ).filter(({ textContent }) => textContent.toLowerCase().includes(wanted))
    const shown = showsAll ? lines : lines.slice(0, firstRows)
    tools.hidden = rows.length <= minToolRows
    table.hidden = shown.length === 0
    note.hidden = shown.length > 0
    note.textContent = rows.length === 0 ? "None." : "No row matches the filter."
    more.hidden = lines.length <= firstRows
    more.textContent = showsAll ? `Show the first ${firstRows}` : `Show all ${lines.length}`
    replaceIfChanged(body, shown)
  }

  for (const control of [filter, sort]) control.addEventListener("input", draw)
  more.addEventListener("click", () => {
    showsAll = !showsAll
    draw()
  })
  return (next: ReadonlyArray<Row> | null): void => {
    panel.hidden = next === null
    rows = next ?? []
    draw()
  }
}
