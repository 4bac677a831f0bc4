/** The options of the command line. Their words, help and suggestions follow from them. Loads nothing of Effect. */
import type { OptionWords } from "@blockquarry/command-line/Words"
import { optionOf, proxyVariables } from "../config/EnvironmentVariables.ts"

export interface ProxyOption extends OptionWords {
  readonly description: string
  /** The environment variable that the option overrides. */
  readonly variable?: string
}

const overriding = (
  variable: string,
  value: string | null,
  description: string,
  { alias, standard }: { readonly alias?: string; readonly standard?: string } = {}
): ProxyOption => {
  const setting = `${variable}${value === null ? "=1" : ""}${
    standard === undefined ? "" : `; default: ${standard}`
  }`
  return {
    name: optionOf(variable).slice(2),
    alias,
    value,
    variable,
    description: `${description} (${setting})`
  }
}

const { admin, allowAnonymous, config, host, port, sandbox } = proxyVariables

/** The options in the order of help. */
export const options: ReadonlyArray<ProxyOption> = [
  overriding(config, "FILE", "Configuration file in YAML", { alias: "c" }),
  overriding(host, "HOST", "Address to listen on", { standard: "127.0.0.1" }),
  overriding(port, "PORT", "Port; 0 selects a free one", { alias: "p", standard: "8650" }),
  overriding(admin, "HOST:PORT", "Admin listener (status page, metrics), or off", {
    standard: "127.0.0.1:8651"
  }),
  overriding(allowAnonymous, null, "Allow a non-loopback address without clients"),
  overriding(sandbox, null, "Use the embedded sandbox as upstream: synthetic data, no account, no network"),
  { name: "connect", value: null, description: "With config check: try Redis too, for at most 2 s" },
  { name: "help", alias: "h", value: null, description: "Show this help" },
  { name: "version", alias: "v", value: null, description: "Show the version" }
]
