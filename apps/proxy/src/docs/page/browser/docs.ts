/** Script of the API reference: search, copying of curl commands, and the forms that send requests. */
import { byId } from "./dom.ts"
import { type FormRequest, tryIt } from "./tryIt.ts"

const queryAll = <E extends Element>(
  within: ParentNode,
  selector: string,
  kind: new() => E
): ReadonlyArray<E> =>
  Array.from(within.querySelectorAll(selector)).filter((found): found is E => found instanceof kind)

const inputOf = (id: string): HTMLInputElement => {
  const element = byId(id)
  if (element instanceof HTMLInputElement) return element
  throw new Error(`the element with id "${id}" is no input`)
}

/** Reads the fields of a form, whose names have their location in the request before a colon. */
const readForm = (form: HTMLFormElement): FormRequest => {
  const fields = [...new FormData(form)].map(([field, value]) => {
    const [location = "", name = ""] = field.split(":")
    return { location, name, value: String(value).trim() }
  })
  const fieldsIn = (location: string) =>
    fields.filter((field) => field.location === location && field.value !== "")
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
    tryIt(readForm(form), inputOf("token-field").value.trim(), result, abortController.signal).finally(() => {
      abortController = undefined
      send.textContent = label
    })
  })
}

const search = inputOf("search")
const applySearch = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "")
  const searchable = queryAll(document, "[data-search]", HTMLElement)
  for (const element of searchable) {
    const text = element.dataset["search"] ?? ""
    element.hidden = !words.every((word) => text.includes(word))
  }
  for (const entry of queryAll(document, "[data-for]", HTMLElement)) {
    entry.hidden = byId(entry.dataset["for"] ?? "").hidden
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
