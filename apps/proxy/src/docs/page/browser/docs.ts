/** Script of the API reference: search, copying of curl commands, and the forms that send requests. */
import { byId } from "./dom.ts"
import { type FormRequest, tryIt } from "./tryIt.ts"

const queryAll = <E extends Element>(
  within: ParentNode,
  selector: string,
  kind: new() => E
): ReadonlyArray<E> =>
  Array.from(within.querySelectorAll(selector)).filter((found): found is E => found instanceof kind)

const valueOf = (field: HTMLElement): string =>
  field instanceof HTMLInputElement
    ? field.type === "checkbox" ? field.checked ? "yes" : "" : field.value.trim()
    : field instanceof HTMLSelectElement
    ? field.value
    : ""

const readForm = (form: HTMLFormElement): FormRequest => {
  const fields = queryAll(form, "[data-in]", HTMLElement).map((field) => ({
    in: field.dataset["in"] ?? "",
    name: field.getAttribute("name") ?? "",
    value: valueOf(field)
  }))
  const fieldsIn = (location: string) => fields.filter((field) => field.in === location && field.value !== "")
  const { method = "GET", path = "/" } = form.dataset
  const filled = fieldsIn("path").reduce(
    (path, { name, value }) => path.replace(`{${name}}`, encodeURIComponent(value)),
    path
  )
  const query = fieldsIn("query").map(({ name, value }) =>
    `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  ).join("&")
  const allPages = fieldsIn("all").length > 0
  return {
    method,
    target: `${allPages ? "/all" : ""}${filled}${query === "" ? "" : `?${query}`}`,
    body: method === "GET"
      ? null
      : JSON.stringify(Object.fromEntries(fieldsIn("body").map(({ name, value }) => [name, value]))),
    cacheControl: fieldsIn("cache-control")[0]?.value ?? ""
  }
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const curlCommand = ({ body, cacheControl, method, target }: FormRequest): string =>
  [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shellQuote(location.origin + target)}`,
    "-H \"X-API-Key: $TOKEN\"",
    ...(cacheControl === "" ? [] : [`-H ${shellQuote(`Cache-Control: ${cacheControl}`)}`]),
    ...(body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${shellQuote(body)}`])
  ].join(" \\\n  ")

const token = (): string => valueOf(byId("token-field"))

for (const article of queryAll(document, "article", HTMLElement)) {
  const [form] = queryAll(article, "form", HTMLFormElement)
  const [code] = queryAll(article, ".curl code", HTMLElement)
  const [copy] = queryAll(article, ".copy", HTMLButtonElement)
  const [result] = queryAll(article, ".result", HTMLElement)
  const [send] = queryAll(article, "form button", HTMLButtonElement)
  if (
    form === undefined || code === undefined || copy === undefined || result === undefined ||
    send === undefined
  ) continue

  const updateCommand = () => code.textContent = curlCommand(readForm(form))
  updateCommand()
  form.addEventListener("input", updateCommand)

  copy.addEventListener("click", () => {
    const showCopyResult = (text: string) => {
      copy.textContent = text
      setTimeout(() => copy.textContent = "Copy", 1500)
    }
    // Browsers offer no clipboard on a page loaded over plain HTTP from another machine
    const copied = navigator.clipboard === undefined
      ? Promise.reject(new Error("no clipboard"))
      : navigator.clipboard.writeText(code.textContent ?? "")
    copied.then(() => showCopyResult("Copied"), () => {
      getSelection()?.selectAllChildren(code)
      showCopyResult("Selected")
    })
  })

  const label = send.textContent
  let abortController: AbortController | undefined
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (abortController !== undefined) return abortController.abort()
    abortController = new AbortController()
    send.textContent = "Stop"
    tryIt(readForm(form), token(), result, abortController.signal).finally(() => {
      abortController = undefined
      send.textContent = label
    })
  })
}

const search = byId("search")
const applySearch = () => {
  const words = valueOf(search).toLowerCase().split(/\s+/).filter((word) => word !== "")
  const searchable = queryAll(document, "[data-search]", HTMLElement)
  for (const element of searchable) {
    const text = element.dataset["search"] ?? ""
    element.hidden = !words.every((word) => text.includes(word))
  }
  for (const entry of queryAll(document, "[data-for]", HTMLElement)) {
    entry.hidden = byId(entry.dataset["for"] ?? "").hidden
  }
  for (const group of queryAll(document, "[data-group]", HTMLElement)) {
    const entries = queryAll(group, "[data-search], [data-for]", HTMLElement)
    group.hidden = entries.every(({ hidden }) => hidden)
  }
  document.body.classList.toggle("searching", words.length > 0)
  const operations = searchable.filter((element) => element.matches("article") && !element.hidden).length
  const codes = searchable.filter((element) => element.matches("tr") && !element.hidden).length
  byId("errors").hidden = codes === 0
  byId("found").textContent = words.length === 0 ? "" : `${operations} operations, ${codes} error codes`
}
search.addEventListener("input", applySearch)
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLElement && event.target.matches("input, select, textarea")
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault()
    search.focus()
  }
})

for (const element of queryAll(document, ".origin", HTMLElement)) element.textContent = location.origin
// On a narrow screen the table of contents would push the content down
if (matchMedia("(max-width: 900px)").matches) byId("contents").removeAttribute("open")
