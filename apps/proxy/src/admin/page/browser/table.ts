/** Tables that are filtered, sorted and cut off to their first rows, so that a hundred rows stay readable. */
import { type Child, h } from "../../../docs/page/browser/dom.ts"

/** `key`: what rows are sorted by; texts ascending, numbers descending. */
export type Column<Row> = readonly [
  label: string,
  style: string,
  cell: (row: Row) => Child,
  key?: (row: Row) => number | string
]

/** Fewer rows need no tools. */
const minToolRows = 8

/** On a phone each row is as high as eight. */
const firstRows = matchMedia("(max-width: 820px)").matches ? 5 : 20

const compare = (one: number | string, other: number | string): number =>
  typeof one === "number" && typeof other === "number"
    ? other - one
    : String(one).localeCompare(String(other))

/** Creates a table in a container. Returns a function that shows rows. */
export const makeTable = <Row>(
  container: HTMLElement,
  name: string,
  noRows: string,
  columns: ReadonlyArray<Column<Row>>
) => {
  let rows: ReadonlyArray<Row> = []
  let showsAll = false
  const filter = document.createElement("input")
  filter.type = "search"
  filter.placeholder = "Filter"
  filter.ariaLabel = `Filter ${name}`
  const sort = document.createElement("select")
  sort.ariaLabel = `Sort ${name}`
  sort.append(
    h("option", { value: "" }, "Default order"),
    ...columns.flatMap(([label, , , key]) =>
      key === undefined ? [] : [h("option", { value: label }, `By ${label.toLowerCase()}`)]
    )
  )
  const tools = h("div.tools", filter, sort)
  const body = h("tbody")
  const head = h(
    "thead",
    h("tr", ...columns.map(([label, style]) => h(`th.${style}`, { scope: "col" }, label)))
  )
  const table = h("table", { "aria-label": name }, head, body)
  const note = h("p.muted")
  const more = h("button", { type: "button" })
  container.replaceChildren(tools, table, note, more)

  const draw = (): void => {
    const key = columns.find(([label]) => label === sort.value)?.[3]
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
    note.textContent = rows.length === 0 ? noRows : "No row matches the filter."
    more.hidden = lines.length <= firstRows
    more.textContent = showsAll ? `Show the first ${firstRows}` : `Show all ${lines.length}`
    // Selections survive a refresh that changes nothing.
    const unchanged = body.childNodes.length === shown.length &&
      shown.every((line, index) => body.childNodes[index]?.isEqualNode(line))
    if (!unchanged) body.replaceChildren(...shown)
  }

  for (const control of [filter, sort]) control.addEventListener("input", draw)
  more.addEventListener("click", () => {
    showsAll = !showsAll
    draw()
  })
  return (next: ReadonlyArray<Row>): void => {
    rows = next
    draw()
  }
}
