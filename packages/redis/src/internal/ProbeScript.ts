/** Calls every command of the stores, so that a missing permission is found before one of them needs it. */
import * as Replies from "./Replies.ts"
import * as Script from "./Script.ts"

/**
 * Returns the names of the commands that fail, each followed by its error. Its key holds a string or does not exist, and does
 * not exist afterwards.
 */
export const probe: Script.Script = Script.make(`
local key = KEYS[1]
local failures = {}
local function try(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err and not string.find(reply.err, 'WRONGTYPE', 1, true) then
    table.insert(failures, (...))
    table.insert(failures, reply.err)
  end
end
${
  Object.entries(Replies.scriptCommands).map(([name, args]) =>
    `try(${[`'${name}'`, ...(args === "" ? [] : [args])].join(", ")})`
  )
    .join("\n")
}
return failures
`)
