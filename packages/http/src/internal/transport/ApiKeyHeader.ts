/** The `x-api-key` header. */
import * as Redacted from "effect/Redacted"

/** Returns why an API key cannot be sent, or null. HTTP clients report invalid header values as network failures. */
export const apiKeyError = (apiKey: Redacted.Redacted): string | null => {
  if (Redacted.value(apiKey) === "") return "expected an API key, got an empty string"
  return invalidHeaderCharacter.test(Redacted.value(apiKey))
    ? "expected an API key, got characters that are invalid in an HTTP header, such as a line break"
    : null
}

const invalidHeaderCharacter = /[^\t\x20-\x7e\x80-\xff]/
