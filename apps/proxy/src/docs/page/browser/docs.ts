/** Script of the API reference: curl commands, and the forms that send requests. */
import { byId } from "./dom.ts"
import { type FormRequest, tryIt } from "./tryIt.ts"

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

const tokenField = byId("token-field")
const token = () => tokenField instanceof HTMLInputElement ? tokenField.value.trim() : ""

for (const form of document.querySelectorAll("form")) {
  const code = form.closest("article")?.querySelector(".curl code")
  const result = form.querySelector(".result")
  const button = form.querySelector("button")
  if (code === null || code === undefined || result === null || button === null) continue

  const updateCommand = () => code.textContent = curlCommand(readForm(form))
  updateCommand()
  form.addEventListener("input", updateCommand)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    button.disabled = true
    tryIt(readForm(form), token(), result).finally(() => button.disabled = false)
  })
}

for (const element of document.querySelectorAll(".origin")) element.textContent = location.origin
