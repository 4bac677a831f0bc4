/** Targets that were read before: equal ones need not be read again. */
import { LRUCache } from "lru-cache"
import type { Question } from "./Question.ts"

export interface Questions {
  readonly get: (target: string) => Question | undefined
  readonly set: (target: string, question: Question) => void
}

const most = 4096

/** Longer ones are rare, and would make the memory that this takes hard to tell. */
const longest = 1024

export const make = (): Questions => {
  const questions = new LRUCache<string, Question>({ max: most })
  return {
    get: (target) => questions.get(target),
    set: (target, question) => {
      if (target.length <= longest) questions.set(target, question)
    }
  }
}
