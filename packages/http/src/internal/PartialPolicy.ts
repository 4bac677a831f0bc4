/** Policies of which a program sets a part: the members that it omits are those of another policy. */
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"

/** A policy whose members, and their members, may be omitted. */
export type PartialPolicy<Policy> = {
  readonly [Name in keyof Policy]?: PartialMember<Policy[Name]> | undefined
}

type PartialMember<Member> = [Member] extends [Duration.DurationInput] ? Member
  : [Member] extends [object] ? PartialPolicy<Member>
  : Member

/** Returns `policy` with the members of `options` that are not undefined. Objects are merged member by member. */
export const override = <Policy extends object>(policy: Policy, options: object = {}): Policy => ({
  ...policy,
  ...Rec.map(Rec.filter({ ...options }, Predicate.isNotUndefined), (value: unknown, name) => {
    const member: unknown = Reflect.get(policy, name)
    return hasMembers(member) && hasMembers(value) ? override(member, value) : value
  })
})

/** A duration is one value, although it may be an object. */
const hasMembers = (value: unknown): value is object =>
  Predicate.isRecord(value) && !Duration.isDuration(value)
