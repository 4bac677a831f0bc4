/** What one client asks next, in what manner, and what it takes for right. */
import { type Answer, header } from "../Connection.ts"
import { check, type Outcome, wrong } from "./Check.ts"
import { checkList } from "./CheckList.ts"
import { encodings, headersOf, kindOf, type Manner, nobodysTag } from "./Manner.ts"
import { list, pageNumber, pick, question } from "./Question.ts"
import type { Tags } from "./Tags.ts"

export interface Asking {
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly check: (answer: Answer) => Outcome
}

/** Numbers from 0 to 1, by chance. */
interface Chances {
  readonly kind: number
  readonly unique: number
  readonly popularity: number
}

/** `turn` is a number that was never given before. */
export const next = ({ kind, popularity, unique }: Chances, turn: number, tags: Tags): Asking => {
  const number = pick(unique, popularity, turn)
  switch (kindOf(kind)) {
    case "plain":
      return asking(number, { as: "plain" }, tags)
    case "encoded":
      // Prices are too short to be encoded.
      return asking(
        pageNumber(number),
        { as: "encoded", encoding: encodings[turn % encodings.length] ?? "gzip" },
        tags
      )
    case "conditional":
      return asking(
        number,
        { as: "conditional", tag: tags.of(question(number).target) ?? nobodysTag },
        tags
      )
    case "list": {
      const asked = list(number)
      return {
        target: asked.target,
        headers: headersOf({ as: "list" }),
        check: (answer) => checkList(asked, answer)
      }
    }
  }
}

const asking = (number: number, manner: Manner, tags: Tags): Asking => {
  const asked = question(number)
  return {
    target: asked.target,
    headers: headersOf(manner),
    check: (answer) => {
      const outcome = check(asked, answer, manner)
      return outcome.is === "right" && !tags.add(asked.target, header(answer, "etag") ?? "none")
        ? wrong(asked.target, answer, "the same document has another tag than before")
        : outcome
    }
  }
}
