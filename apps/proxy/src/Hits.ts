/**
 * The short way: a question that was asked before, whose answer lies fresh in this process, is answered at once and
 * without a fiber. Whatever is not as plain as that goes the long way (`App`), which looks at everything anew.
 */
import * as Either from "effect/Either"
import * as CacheControl from "./Answers/CacheControl.ts"
import type { Encoded } from "./Answers/Encoded.ts"
import * as Render from "./Answers/Render.ts"
import type { Request } from "./App.ts"
import * as Clients from "./Clients.ts"
import type { Instance } from "./Instance.ts"
import * as Notes from "./Notes.ts"
import type { Reply } from "./Reply.ts"
import * as Upstream from "./Upstream.ts"

/** A kept answer; undefined, and nothing charged or written down, where there is none to be given. */
export const answer = (
  { budgets, clients, questions, upstream }: Instance,
  encoded: Encoded,
  request: Request,
  notes: Notes.Notes
): Reply | undefined => {
  const { headers, method, target } = request
  const question = method === "GET" ? questions.get(target) : undefined
  if (question === undefined) return undefined
  const wish = CacheControl.wish(headers["cache-control"], headers["pragma"])
  if (wish !== "default") return undefined
  const { operation, route } = question
  const client = clients.identify(request)
  if (Either.isLeft(client) || !Clients.allowed(client.right, operation.id)) return undefined
  const entry = upstream.kept(question, notes.at)
  if (entry === undefined || encoded.ready(entry.answer, headers["accept-encoding"]) === undefined) {
    return undefined
  }
  const charge = budgets.tryTake(client.right, operation.cost, notes.at)
  if (charge === undefined) return undefined
  upstream.given(question)
  notes.client = client.right.name
  notes.route = route
  notes.operation = operation.id
  notes.cache = "hit"
  notes.saved = operation.cost
  Notes.charge(notes, charge)
  const given = { ...Upstream.fromEntry(entry), wish, caching: true, now: notes.at }
  return Render.ready(given, headers, encoded)
}
