import * as Effect from "effect/Effect"
import { outputOption, requestOptions } from "../args/GlobalOptions.ts"
import { type Finding, runChecks } from "../diagnostics/Doctor.ts"
import { ChecksFailedError } from "../errors/CommandError.ts"
import { printRows } from "../formats/PrintRows.ts"
import { type StreamInfo, styled } from "../terminal/StreamInfo.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import { wrapIndented } from "../text/Width.ts"
import { localCommand } from "./LocalCommand.ts"

export const doctor = localCommand({
  path: ["doctor"],
  api: "data",
  summary: "Check configuration, API key, network and TLS, and say what to do",
  note: "Sends one request that costs 5 units. The exit status is 1 if a check fails.",
  allowsInvalidConfiguration: true,
  options: [outputOption, ...requestOptions("data")],
  examples: ["", "-o json"],
  run: Effect.fnUntraced(function*({ settings }) {
    const terminal = yield* CommandTerminal
    yield* terminal.progress("checking…")
    const findings = yield* runChecks(settings)
    yield* terminal.progress(null)
    yield* settings.configuration.values.has("output") && settings.format !== "table"
      ? printRows(settings.format, findings, { check: {}, status: {}, message: {}, fix: {} })
      : terminal.print(findings.map((finding) => formatFinding(finding, terminal.out)).join(""))
    const failures = findings.filter(({ status }) => status === "failed").length
    if (failures > 0) return yield* new ChecksFailedError({ failed: failures, total: findings.length })
  })
})

const styles = { ok: "bold", warning: "yellow", failed: "red", skipped: "dim" } as const

const formatFinding = ({ check, fix, message, status }: Finding, stream: StreamInfo): string => {
  const text = wrapIndented(`${check}: ${sanitize(message)}`, 8, stream.columns)
  const line = `${styled(stream, styles[status], status.padEnd(8))}${text}\n`
  return fix === null ? line : `${line}        fix: ${wrapIndented(sanitize(fix), 13, stream.columns)}\n`
}
