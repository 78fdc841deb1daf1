import fc from 'fast-check'
import { expect } from 'vitest'
import { ParseError, type Parser } from '../src/upstreams/transport/parse-json.js'

/**
 * Gives each parser any JSON, and the whole object with some of the named fields replaced by any
 * JSON: it may accept them or throw ParseError, and nothing else.
 */
export function expectOnlyParseErrors(
  parsers: readonly Parser<unknown>[],
  whole: object,
  names: readonly string[] = Object.keys(whole),
): void {
  const spoiled = fc
    .dictionary(fc.constantFrom(...names), fc.jsonValue())
    .map((changes) => ({ ...whole, ...changes }))
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), spoiled), (json) => {
      for (const parse of parsers) {
        try {
          parse(json, 'body')
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError)
        }
      }
    }),
  )
}
