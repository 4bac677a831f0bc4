/** Programs that are installed on this machine. */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** Returns the path of a program in `PATH` or `/usr/sbin`; undefined if it is not installed. */
export const findExecutable = (name: string): string | undefined =>
  `${process.env["PATH"] ?? ""}${delimiter}/usr/sbin`.split(delimiter).map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
