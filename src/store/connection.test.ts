import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true })
})
afterAll(() => database.drop())

const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
const nullable = <T>(items: fc.Arbitrary<T>) => fc.array(fc.option(items), { maxLength: 5 })

describe('arrays come back as they were sent', () => {
  test.each([
    ['boolean', fc.array(fc.boolean())],
    ['bytea', fc.array(bytes)],
    ['smallint', fc.array(fc.integer({ min: -32_768, max: 32_767 }))],
    ['integer', fc.array(fc.integer())],
    ['text', nullable(text)],
    ['bigint', fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))],
    ['numeric', nullable(fc.bigInt().map(String))],
  ] as [string, fc.Arbitrary<unknown[]>][])('%s[]', async (type, arrays) => {
    await fc.assert(
      fc.asyncProperty(arrays, async (sent) => {
        const { sql } = database
        const [row] =
          await sql`select ${sql.array(sent as string[])}::${sql.unsafe(type)}[] as back`
        expect(row?.back).toEqual(sent)
      }),
      { numRuns: 50 },
    )
  })
})
