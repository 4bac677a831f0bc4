/** Terminals of tmux: a server for each test file. */
import { execFile, execFileSync } from "node:child_process"
import { shellProgram } from "./process.ts"

const socket = `quarry-${process.pid}`

/** The lines of the screen. Longer output would scroll. */
const rows = 400

/** Runs a command of tmux, and returns its output. */
export const tmux = (...args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile("tmux", ["-L", socket, "-f", "/dev/null", ...args], (error, stdout) =>
      error === null ? resolve(stdout) : reject(error))
  })

/** Whether tmux is installed. */
export const hasTmux = ((): boolean => {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

/** Starts the server with a session that keeps it running. */
export const startTmux = (): Promise<unknown> => tmux("new-session", "-d", "-s", "keep", "sleep 3600")

/** Ends all sessions. */
export const stopTmux = (): Promise<unknown> => tmux("kill-server").catch(() => null)

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The environment of the shell decides about colors, the pager and the connection. Nothing else remains of it. */
const environment = (variables: Readonly<Record<string, string>>): string =>
  Object.entries({
    PATH: process.env["PATH"] ?? "",
    HOME: "/nonexistent",
    LANG: "C.UTF-8",
    TERM: "tmux-256color",
    TZ: "Europe/Berlin",
    QUARRY_SANDBOX: "1",
    ...variables
  }).map(([name, value]) => `${name}=${quoted(value)}`).join(" ")

let sessions = 0

/** Runs a command line, and returns the screen and the exit code. */
export const capture = async (
  line: string,
  variables: Readonly<Record<string, string>>
): Promise<string> => {
  const session = `s${sessions++}`
  // The terminal answers the request for the position of the cursor after it has drawn everything before
  const script = [
    `env -i ${environment(variables)} ${shellProgram} ${line}`,
    `code=\${PIPESTATUS[0]}; stty -echo; printf '\\e[6n'; read -rs -d R; echo "(exit code $code)"`,
    `printf '\\e[6n'; read -rs -d R; tmux -L ${socket} wait-for -S ${session}; sleep 3600`
  ].join("\n")
  await tmux(...`new-session -d -s ${session} -x 100 -y ${rows} bash --norc -c`.split(" "), script)
  await tmux("wait-for", session)
  const screen = await tmux("capture-pane", "-p", "-t", session)
  await tmux("kill-session", "-t", session)
  return screen.trimEnd()
}
