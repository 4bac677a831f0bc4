/** The proxy variables of the environment, as curl and Undici read them. */

export interface ProxyEnvironment {
  readonly variable: (name: string) => string
}

/** The variables that name a proxy. */
export const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"] as const

export const isProxyUrl = (text: string): boolean => URL.canParse(text) && /^https?:\/\//i.test(text)

/** Lower case takes precedence. */
const either = ({ variable }: ProxyEnvironment, name: string): string =>
  variable(name.toLowerCase()) || variable(name)

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
export const proxyFor = (environment: ProxyEnvironment, url: URL): string | null => {
  const proxy = url.protocol === "https:"
    ? either(environment, "HTTPS_PROXY") || either(environment, "HTTP_PROXY")
    : either(environment, "HTTP_PROXY")
  return proxy === "" || isExempt(either(environment, "NO_PROXY"), url) ? null : proxy
}
