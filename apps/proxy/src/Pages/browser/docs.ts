/// <reference lib="dom" />
/**
 * The documentation at work: search, lines to copy, forms to try. The page carries the source of this function: it
 * refers to nothing but what it is given.
 */
import type { Dom } from "./dom.ts"
import type { Question, TryIt } from "./tryIt.ts"

export const docs = ({ byId }: Dom, tryIt: TryIt): void => {
  const all = <E extends Element>(within: ParentNode, selector: string, kind: new() => E): ReadonlyArray<E> =>
    Array.from(within.querySelectorAll(selector)).filter((found): found is E => found instanceof kind)

  const valueOf = (field: HTMLElement): string =>
    field instanceof HTMLInputElement
      ? field.type === "checkbox" ? field.checked ? "yes" : "" : field.value.trim()
      : field instanceof HTMLSelectElement
      ? field.value
      : ""

  const read = (form: HTMLFormElement): Question => {
    const fields = all(form, "[data-in]", HTMLElement).map((field) => ({
      in: field.dataset["in"] ?? "",
      name: field.getAttribute("name") ?? "",
      value: valueOf(field)
    }))
    const given = (place: string) => fields.filter((field) => field.in === place && field.value !== "")
    const { method = "GET", path = "/" } = form.dataset
    const filled = given("path").reduce(
      (path, { name, value }) => path.replace(`{${name}}`, encodeURIComponent(value)),
      path
    )
    const query = given("query").map(({ name, value }) =>
      `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
    ).join("&")
    const whole = given("whole").length > 0
    return {
      method,
      target: `${whole ? "/all" : ""}${filled}${query === "" ? "" : `?${query}`}`,
      body: method === "GET"
        ? null
        : JSON.stringify(Object.fromEntries(given("body").map(({ name, value }) => [name, value]))),
      cacheControl: given("cache-control")[0]?.value ?? ""
    }
  }

  /** In single quotes a shell takes everything as it is, but the quote itself. */
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

  const line = ({ body, cacheControl, method, target }: Question): string =>
    [
      `curl ${method === "GET" ? "" : `-X ${method} `}${quote(location.origin + target)}`,
      "-H \"X-API-Key: $TOKEN\"",
      ...(cacheControl === "" ? [] : [`-H ${quote(`Cache-Control: ${cacheControl}`)}`]),
      ...(body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(body)}`])
    ].join(" \\\n  ")

  const token = (): string => valueOf(byId("token-field"))

  for (const article of all(document, "article", HTMLElement)) {
    const [form] = all(article, "form", HTMLFormElement)
    const [code] = all(article, ".curl code", HTMLElement)
    const [copy] = all(article, ".copy", HTMLButtonElement)
    const [place] = all(article, ".result", HTMLElement)
    const [send] = all(article, "form button", HTMLButtonElement)
    if (
      form === undefined || code === undefined || copy === undefined || place === undefined ||
      send === undefined
    ) continue

    const write = () => code.textContent = line(read(form))
    write()
    form.addEventListener("input", write)

    copy.addEventListener("click", () => {
      const said = (text: string) => {
        copy.textContent = text
        setTimeout(() => copy.textContent = "Copy", 1500)
      }
      // There is no clipboard where the page came over plain HTTP from another machine
      const copied = navigator.clipboard === undefined
        ? Promise.reject(new Error("no clipboard"))
        : navigator.clipboard.writeText(code.textContent ?? "")
      copied.then(() => said("Copied"), () => {
        getSelection()?.selectAllChildren(code)
        said("Selected")
      })
    })

    const label = send.textContent
    let running: AbortController | undefined
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      if (running !== undefined) return running.abort()
      running = new AbortController()
      send.textContent = "Stop"
      tryIt(read(form), token(), place, running.signal).finally(() => {
        running = undefined
        send.textContent = label
      })
    })
  }

  const search = byId("search")
  const find = () => {
    const words = valueOf(search).toLowerCase().split(/\s+/).filter((word) => word !== "")
    const sought = all(document, "[data-search]", HTMLElement)
    for (const element of sought) {
      const text = element.dataset["search"] ?? ""
      element.hidden = !words.every((word) => text.includes(word))
    }
    for (const entry of all(document, "[data-for]", HTMLElement)) {
      entry.hidden = byId(entry.dataset["for"] ?? "").hidden
    }
    for (const group of all(document, "[data-group]", HTMLElement)) {
      const members = all(group, "[data-search], [data-for]", HTMLElement)
      group.hidden = members.every(({ hidden }) => hidden)
    }
    document.body.classList.toggle("searching", words.length > 0)
    const operations = sought.filter((element) => element.matches("article") && !element.hidden).length
    const codes = sought.filter((element) => element.matches("tr") && !element.hidden).length
    byId("failures").hidden = codes === 0
    byId("found").textContent = words.length === 0 ? "" : `${operations} operations, ${codes} codes`
  }
  search.addEventListener("input", find)
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, select, textarea")
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      search.focus()
    }
  })

  for (const place of all(document, ".origin", HTMLElement)) place.textContent = location.origin
  // On a narrow screen the contents would be in the way of what one came for
  if (matchMedia("(max-width: 900px)").matches) byId("contents").removeAttribute("open")
}
