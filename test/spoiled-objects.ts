import fc from 'fast-check'
import { expect } from 'vitest'
import { ReadError } from '../src/upstreams/transport/read.js'

type Reader = (value: unknown, path: string) => unknown

/**
 * Gives each reader any JSON, and the whole object with some of the named fields replaced by any
 * JSON: it may read them or throw ReadError, and nothing else.
 */
export function expectOnlyReadErrors(
  readers: readonly Reader[],
  whole: object,
  names: readonly string[] = Object.keys(whole),
): void {
  const spoiled = fc
    .dictionary(fc.constantFrom(...names), fc.jsonValue())
    .map((changes) => ({ ...whole, ...changes }))
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), spoiled), (json) => {
      for (const read of readers) {
        try {
          read(json, 'body')
        } catch (error) {
          expect(error).toBeInstanceOf(ReadError)
        }
      }
    }),
  )
}
