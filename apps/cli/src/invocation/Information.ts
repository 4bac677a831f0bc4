/** Texts that the program prints without running a command. */
import type { CommandLineDescription } from "../args/CommandDescription.ts"
import { formatHelp, formatOverview, formatTopic } from "../help/Help.ts"
import type { StreamInfo } from "../terminal/StreamInfo.ts"
import type { Invocation } from "./Arrange.ts"

/** Returns the version, help or a topic of help. */
export const information = (
  all: CommandLineDescription,
  invocation: Exclude<Invocation, { readonly _tag: "Run" }>,
  stream: StreamInfo,
  version: string
): string => {
  switch (invocation._tag) {
    case "Version":
      // The first line is the version alone, for scripts
      return `${version}\nnode ${process.versions.node} ${process.platform} ${process.arch}\n`
    case "Overview":
      return formatOverview(all, stream)
    case "Help":
      return formatHelp(all, invocation.path, invocation.command, stream, invocation.isComplete)
    case "Topic":
      return formatTopic(all, invocation.topic, stream)
  }
}
