/** The proxy variables of the environment, as curl and Undici read them. */

/** Returns the value of an environment variable; empty if it is not set. */
type Environment = (name: string) => string

export const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"] as const

export interface NamedProxy {
  readonly variable: string
  readonly value: string
}

/** Returns the first variable that is set. Lower case takes precedence. */
const firstSet = (valueOf: Environment, ...names: ReadonlyArray<string>): NamedProxy | null =>
  names.flatMap((name) => [name.toLowerCase(), name])
    .map((variable) => ({ variable, value: valueOf(variable) }))
    .find(({ value }) => value !== "") ?? null

/** Returns the variables that may name the proxy for a URL, in their order. */
export const proxyVariablesFor = ({ protocol }: URL): readonly [string, ...ReadonlyArray<string>] =>
  protocol === "https:" ? ["HTTPS_PROXY", "HTTP_PROXY"] : ["HTTP_PROXY"]

/** Whether NO_PROXY exempts a host and port: by suffix of the name, with or without a port, or all with `*`. */
const isExempt = (noProxy: string, { hostname, port, protocol }: URL): boolean => {
  const actualPort = port === "" ? (protocol === "https:" ? "443" : "80") : port
  return noProxy.split(/[\s,]+/).filter((entry) => entry !== "").some((entry) => {
    if (entry === "*") return true
    const [, name = "", entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    const suffix = name.replace(/^\*?\./, "")
    const host = hostname.toLowerCase()
    return (entryPort === undefined || entryPort === actualPort) &&
      (host === suffix || host.endsWith(`.${suffix}`))
  })
}

/** Returns the proxy for a URL; null if it is reached directly. */
export const proxyFor = (valueOf: Environment, url: URL): NamedProxy | null =>
  isExempt(firstSet(valueOf, "NO_PROXY")?.value ?? "", url)
    ? null
    : firstSet(valueOf, ...proxyVariablesFor(url))
