/** Prints help and other information at once, and loads the program for everything else. */
import { readFileSync } from "node:fs"
import { isEnabled, singleValue } from "./args/ArgumentValues.ts"
import { commandLine } from "./commands/Descriptions.build.ts"
import { describeSystemError, errorCode } from "./errors/SystemError.ts"
import { formatInformation } from "./help/Help.ts"
import { arrange } from "./invocation/Arrange.ts"
import { isOutputFile, writeToFile } from "./terminal/OutputFile.ts"
import { type StreamInfo, streamInfo } from "./terminal/StreamInfo.ts"

const readVersion = (manifest: URL): string => {
  const content: unknown = JSON.parse(readFileSync(manifest, "utf8"))
  return typeof content === "object" && content !== null && "version" in content
    ? String(content.version)
    : ""
}

export const start = async (manifest: URL): Promise<void> => {
  const argv = process.argv.slice(2)
  const version = readVersion(manifest)
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/Complete.ts")
    return printText(await complete(commandLine, argv.slice(1)))
  }
  const line = arrange(commandLine, argv)
  if (line.invocation._tag !== "Run" && line.invocation._tag !== "Invalid") {
    const stream = streamInfo(process.stdout, process.env, singleValue(line.options, "color"))
    const text = formatInformation(commandLine, line.invocation, stream, version)
    // The program shows longer texts with the pager
    if (isEnabled(line.options, "no-pager") || fitsScreen(text, stream, process.stdout.rows)) {
      return printText(text)
    }
  }
  const { runProgram } = await import("./Program.ts")
  runProgram(line, version)
}

/** Returns whether a text and the prompt after it fit the terminal, if there is one. */
const fitsScreen = (text: string, { columns }: StreamInfo, rows: number): boolean =>
  columns === null || rows === 0 ||
  text.split("\n").reduce((count, line) => count + Math.max(1, Math.ceil(line.length / columns)), 0) <= rows

/** Prints a text. A closed pipe is no failure. */
const printText = (text: string): void => {
  const report = (error: unknown) => {
    if (errorCode(error) === "EPIPE") return
    process.stderr.write(`error: cannot write output: ${describeSystemError(error)}\n`)
    process.exitCode = 1
  }
  if (isOutputFile(process.stdout)) {
    const bytes = Buffer.from(text)
    const { error } = writeToFile(process.stdout.fd, bytes, [bytes.length])
    if (error !== null) report(error)
    return
  }
  process.stdout.on("error", report)
  process.stdout.write(text)
}
