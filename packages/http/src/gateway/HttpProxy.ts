/**
 * Decides which HTTP proxy of the environment, if any, is between this program and a URL. For Node.js.
 *
 * Unstable: this module may change in any release.
 */
import { BlockList, isIP } from "node:net"

/** Returns the value of an environment variable, undefined if it is not set. */
export type Environment = (name: string) => string | undefined

export interface NamedProxy {
  readonly variable: string
  readonly value: string
}

/** Returns a variable with its value. As in curl, the lower-case name takes precedence. */
const read = (valueOf: Environment, upperCase: string): NamedProxy => {
  const lowerCase = valueOf(upperCase.toLowerCase())
  return lowerCase === undefined
    ? { variable: upperCase, value: valueOf(upperCase) ?? "" }
    : { variable: upperCase.toLowerCase(), value: lowerCase }
}

/** Returns the names of the variables that may have the proxy for a URL, in their order. */
export const variablesFor = ({ protocol }: Pick<URL, "protocol">) =>
  protocol === "https:" ? ["HTTPS_PROXY", "HTTP_PROXY"] as const : ["HTTP_PROXY"] as const

/** Returns the variables that are set to a proxy. */
export const configuredProxies = (valueOf: Environment): ReadonlyArray<NamedProxy> =>
  variablesFor({ protocol: "https:" }).map((name) => read(valueOf, name)).filter(({ value }) => value !== "")

/** Returns the proxy for a URL. Null if it is reached directly, because there is none or `NO_PROXY` exempts it. */
export const find = (valueOf: Environment, url: URL): NamedProxy | null =>
  isExempt(read(valueOf, "NO_PROXY").value, url)
    ? null
    : variablesFor(url).map((name) => read(valueOf, name)).find(({ value }) => value !== "") ?? null

/**
 * Whether an entry matches: a host and its subdomains, an IP address, a CIDR block of addresses, each with or without a port; or
 * all with `*`. A host name matches no CIDR block, because the proxy resolves it.
 */
const isExempt = (noProxy: string, { hostname, port, protocol }: URL): boolean => {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase()
  const actualPort = port === "" ? (protocol === "https:" ? "443" : "80") : port
  return noProxy.toLowerCase().split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true
    const [, bracketed, name = bracketed ?? entry, entryPort = actualPort] =
      /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? []
    const suffix = name.replace(/^\*?\./, "")
    return entryPort === actualPort && suffix !== "" &&
      (host === suffix || host.endsWith(`.${suffix}`) || isInBlock(host, suffix))
  })
}

const isInBlock = (host: string, block: string): boolean => {
  const [network = "", prefix = String(isIP(network) === 4 ? 32 : 128)] = block.split("/")
  const version = isIP(network)
  if (
    version === 0 || isIP(host) === 0 || !/^\d+$/.test(prefix) || Number(prefix) > (version === 4 ? 32 : 128)
  ) return false
  const list = new BlockList()
  list.addSubnet(network, Number(prefix), version === 4 ? "ipv4" : "ipv6")
  return list.check(host, isIP(host) === 4 ? "ipv4" : "ipv6")
}

/**
 * Returns why the value of `HTTPS_PROXY` or `HTTP_PROXY` is invalid; null if it is valid. The reason never contains the
 * value, which may contain a password.
 */
export const invalidReason = (url: string): string | null => {
  if (!URL.canParse(url) || !/^(?:https?|socks5?):\/\/[^/?#]*\/?$/i.test(url)) {
    return "expected a URL such as http://proxy.example:3128"
  }
  try {
    const { password, username } = new URL(url)
    decodeURIComponent(username + password)
    return null
  } catch {
    return "expected a user name and a password in which % is written as %25"
  }
}
