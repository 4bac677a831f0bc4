/** The access log: one line for each completed request. */
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"
import type { LogStyle } from "./Logging.ts"

/** Whether a request is a successful probe. These are frequent and not logged. */
export const isSuccessfulProbe = ({ route, status }: AccessLogEntry): boolean =>
  (route === "/livez" || route === "/readyz") && status === 200

/** Formats the access log line of a completed request. */
export const accessLogLine = (entry: AccessLogEntry, style: LogStyle): string => {
  if (style === "text") {
    const { startedAt, cache, client, code, requestId, method, durationMs, route, status } = entry
    const parts = [method, route, status, `${durationMs}ms`, cache ?? code ?? "", client ?? "", requestId]
    return `${new Date(startedAt).toISOString()} ${parts.filter((part) => part !== "").join(" ")}`
  }
  const { startedAt, requestId, ...fields } = entry
  const time = new Date(startedAt).toISOString()
  return JSON.stringify({ time, level: "info", message: "request", requestId, ...fields })
}
