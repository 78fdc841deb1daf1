import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { copyBytes, copyLines, copyText } from './copy.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true })
  await database.sql`create table words (id integer primary key, word text, bytes bytea)`
})
afterAll(() => database.drop())

const COLUMNS = ['id', 'word', 'bytes']
const copy = (lines: Iterable<string>) => database.sql.begin((tx) => copyLines(tx, 'words', COLUMNS, lines))

test('any text arrives as it is, but for zero characters', async () => {
  const words = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 50 })
  await fc.assert(
    fc.asyncProperty(words, async (texts) => {
      await database.sql`delete from words`
      await copy(texts.map((text, id) => `${id}\t${copyText(text)}\t${copyBytes('0x00ff')}\n`))
      const rows = await database.sql`select word, bytes from words order by id`
      expect(rows).toEqual(
        texts.map((text) => ({
          word: text.replaceAll('\0', '\ufffd'),
          bytes: Buffer.from([0, 255]),
        })),
      )
    }),
    { numRuns: 10 },
  )
})

test('more than the socket takes at once arrives whole', async () => {
  await database.sql`delete from words`
  const word = 'x'.repeat(1_000)
  await copy(Array.from({ length: 5_000 }, (_, id) => `${id}\t${word}\t\\N\n`))
  const [row] = await database.sql`
    select count(*)::int as count, sum(length(word))::int as length from words`
  expect(row).toEqual({ count: 5_000, length: 5_000_000 })
})

const many = (last: string) =>
  Array.from({ length: 3_000 }, (_, id) => (id === 2_999 ? last : `${id}\t${'y'.repeat(100)}\t\\N\n`))

test.each([
  ['a key that is there twice, which shows after the last line', ['1\ta\t\\N\n', '1\tb\t\\N\n'], /dupl/],
  ['a key that is there twice at the end of many', many('1\ta\t\\N\n'), /duplicate key/],
  ['a line that is wrong in front of many', ['z\ta\t\\N\n', ...many('')], /invalid input syntax/],
  ['a line that is wrong after many', many('oops\n'), /invalid input syntax/],
])('rejects %s, and the connection goes on', async (_why, lines, message) => {
  await database.sql`delete from words`
  await expect(copy(lines)).rejects.toThrow(message)
  await copy(['7\tb\t\\N\n'])
  expect(await database.sql`select id from words`).toEqual([{ id: 7 }])
})

test('rejects a table that is not there', async () => {
  const copying = database.sql.begin((tx) => copyLines(tx, 'nowhere', ['id'], ['1\n']))
  await expect(copying).rejects.toThrow('does not exist')
})

test('lines that cannot be made end the copy with nothing written', async () => {
  await database.sql`delete from words`
  function* lines() {
    yield* many('')
    throw new Error('no more lines')
  }
  await expect(copy(lines())).rejects.toThrow('no more lines')
  expect(await database.sql`select id from words`).toEqual([])
})

test('rejects when the connection is lost on the way', async () => {
  function* lines() {
    for (let id = 0; ; id++) yield `${id}\t${'z'.repeat(1_000)}\t\\N\n`
  }
  const copying = database.sql.begin(async (tx) => {
    const [backend] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
    await Promise.all([
      copyLines(tx, 'words', COLUMNS, lines()),
      database.sql`select pg_terminate_backend(${backend?.pid ?? 0})`,
    ])
  })
  await expect(copying).rejects.toThrow()
})
