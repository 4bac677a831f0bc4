/** The descriptors of the options, in the order of help. Their words, help and suggestions follow from them. */
import * as Descriptors from "@blockquarry/command-line/Descriptors"
import * as Options from "@effect/cli/Options"
import { optionOf, proxyVariables } from "../config/EnvironmentVariables.ts"

const { admin, allowAnonymous, config, host, port, sandbox } = proxyVariables

/** An option with a value that overrides a variable. */
const textOf = (
  variable: string,
  value: string,
  description: string,
  { alias, standard }: { readonly alias?: string; readonly standard?: string } = {}
) => {
  const setting = standard === undefined ? variable : `${variable}; default: ${standard}`
  return Descriptors.text(optionOf(variable).slice(2), value, `${description} (${setting})`, alias)
}

/** A switch that overrides a variable. */
const flagOf = (variable: string, description: string) =>
  Descriptors.flag(optionOf(variable).slice(2), `${description} (${variable}=1)`)

export const options = Options.all([
  textOf(config, "FILE", "Configuration file in YAML", { alias: "c" }),
  textOf(host, "HOST", "Address to listen on", { standard: "127.0.0.1" }),
  textOf(port, "PORT", "Port; 0 selects a free one", { alias: "p", standard: "8650" }),
  textOf(admin, "HOST:PORT", "Admin listener (status page, metrics), or off", { standard: "127.0.0.1:8651" }),
  flagOf(allowAnonymous, "Allow a non-loopback address without clients"),
  flagOf(sandbox, "Use the embedded sandbox as upstream: synthetic data, no account, no network"),
  Descriptors.flag("connect", "With config check: try Redis too, for at most 2 s"),
  Descriptors.flag("help", "Show this help", "h"),
  Descriptors.flag("version", "Show the version", "v")
])
