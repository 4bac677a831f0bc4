/**
 * Kubernetes sets variables for every service of a namespace. Those of one that is called quarry-proxy look as if they
 * were ours: QUARRY_PROXY_PORT is tcp://10.0.0.1:8650 then.
 */

type EnvironmentValues = Readonly<Record<string, string | undefined>>

const serviceLinkNames =
  /^QUARRY_PROXY_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/

/** Whether a variable is one of those. */
export const isServiceLink = (name: string, env: EnvironmentValues): boolean =>
  serviceLinkNames.test(name) ||
  (/^QUARRY_PROXY_(?:.*_)?PORT$/.test(name) && /^(?:tcp|udp|sctp):\/\//.test(env[name] ?? ""))
