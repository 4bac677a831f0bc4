/** The codes of network failures in plain words. */

const reasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "certificate expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "self-signed certificate",
  EAI_AGAIN: "host name lookup failed",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ENOTFOUND: "host not found",
  EPIPE: "connection closed",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate does not match the host",
  ETIMEDOUT: "connection timed out",
  SELF_SIGNED_CERT_IN_CHAIN: "self-signed certificate in the chain",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate cannot be verified",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
  UND_ERR_SOCKET: "connection closed"
}

/** As in `connection refused (ECONNREFUSED)`. A reason without a known code stays as it is. */
export const describeNetworkReason = (reason: string): string =>
  Object.hasOwn(reasons, reason) ? `${reasons[reason]} (${reason})` : reason
