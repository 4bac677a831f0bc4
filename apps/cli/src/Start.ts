/** Prints help and other information at once, and loads the program for everything else. */
import { readFileSync } from "node:fs"
import { singleValue } from "./args/ArgumentValues.ts"
import { commandLine } from "./commands/Descriptions.build.ts"
import { describeSystemError, errorCode } from "./errors/SystemError.ts"
import { formatInformation } from "./help/Help.ts"
import { arrange } from "./invocation/Arrange.ts"
import { streamInfo } from "./terminal/StreamInfo.ts"

const readVersion = (manifest: URL): string => {
  const content: unknown = JSON.parse(readFileSync(manifest, "utf8"))
  return typeof content === "object" && content !== null && "version" in content
    ? String(content.version)
    : ""
}

export const start = async (manifest: URL): Promise<void> => {
  const argv = process.argv.slice(2)
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/Complete.ts")
    return printText(await complete(commandLine, argv.slice(1)))
  }
  const { invocation, ...line } = arrange(commandLine, argv)
  if (invocation._tag === "Run" || invocation._tag === "Invalid") {
    const { runProgram } = await import("./Program.ts")
    return runProgram({ ...line, invocation })
  }
  const stream = streamInfo(process.stdout, process.env, singleValue(line.options, "color"))
  printText(formatInformation(commandLine, invocation, stream, readVersion(manifest)))
}

/** Prints a text. A closed pipe is no failure. */
const printText = (text: string): void => {
  process.stdout.on("error", (error) => {
    if (errorCode(error) === "EPIPE") return
    process.stderr.write(`error: cannot write output: ${describeSystemError(error)}\n`)
    process.exitCode = 1
  })
  process.stdout.write(text)
}
