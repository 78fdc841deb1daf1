import { Ajv, type ValidateFunction } from 'ajv'
import type { TObject, TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inlineReferences } from '../../demo/inline-references.js'
import type { ApiWorld } from '../api-world.js'
import { counts } from '../counts.js'
import {
  asDuckdbText,
  duckdbText,
  parquetColumns,
  parseCsv,
  readParquet,
  readWithDuckdb,
  shownType,
} from '../read-rows.js'
import type { Subject } from './subject.js'

type Operation = { responses: { 200: { content: { 'application/json': { schema: object } } } } }

/** How many rows of a list are read in small pages. */
const WALKED_ROWS = counts({ short: 22, long: 300 })
/** How many views of a list are read in every format: their rows have the same columns. */
const FORMAT_VIEWS = counts({ short: 1, long: 100 })

/** Tests of everything that all lists promise, for each of these lists. */
export function testLists<World extends ApiWorld>(
  open: () => Promise<World>,
  subjects: readonly Subject<World>[],
): void {
  let world: World
  let paths: Record<string, { get: Operation }>
  beforeAll(async () => {
    world = await open()
    paths = inlineReferences((await world.app.inject('/openapi.json')).json()).paths
  })
  afterAll(() => world.close())

  describe.each(subjects.map((subject) => [subject.list.path, subject] as const))(
    'GET %s',
    (_path, {
      list,
      path: pathIn,
      paged,
      unpaged,
      base: baseIn,
      limitMax = 300,
      isOfSeq = true,
      pageSize = 7,
    }) => {
      const path = () => pathIn(world)
      const base = () => (typeof baseIn === 'function' ? baseIn(world) : baseIn)
      const takes = (name: string) => name in list.query.properties
      const ask = async (query: object, headers: object = {}) => {
        const reply = await world.get(path(), { ...base(), ...query }, headers)
        expect(reply.statusCode, reply.body).toBe(200)
        return reply
      }
      const rowsOf = (body: Record<string, unknown>) => body[list.name] as object[]
      let validateAnswer: ValidateFunction | undefined

      test.each(paged)('200: pages by offset and by cursor are the whole list: %j', async (view) => {
        const whole = rowsOf((await ask({ ...view, limit: WALKED_ROWS })).json())
        expect(whole.length).toBeGreaterThan(pageSize)

        const byOffset: object[] = []
        for (let offset = 0, more = true; more; offset += pageSize) {
          const page = (await ask({ ...view, limit: pageSize, offset })).json()
          byOffset.push(...rowsOf(page))
          expect(page).toMatchObject({
            offset,
            limit: pageSize,
            rows_returned: rowsOf(page).length,
          })
          more = page.has_more && byOffset.length < whole.length
        }
        expect(byOffset.slice(0, WALKED_ROWS)).toEqual(whole)
        if (!takes('cursor')) return

        const byCursor: object[] = []
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page = (await ask({ ...view, limit: pageSize, cursor })).json()
          byCursor.push(...rowsOf(page))
          cursor = byCursor.length < whole.length ? page.next_cursor : null
          expect(page.has_more).toBe(page.next_cursor !== null)
        }
        expect(byCursor.slice(0, WALKED_ROWS)).toEqual(whole)
      })

      test.runIf(takes('order'))('200: `order=asc` has the rows of `desc` from the other end', async () => {
        const [asc, desc] = await Promise.all([
          ask({ limit: 300, order: 'asc' }),
          ask({ limit: 300, order: 'desc' }),
        ])
        expect(desc.json().has_more).toBe(false)
        // Ranks count from the beginning of each.
        const unranked = (rows: object[]) => rows.map((row) => ({ ...row, rank: undefined }))
        expect(unranked(rowsOf(asc.json()))).toEqual(unranked(rowsOf(desc.json()).reverse()))
      })

      test.each(unpaged)('200: groups page by offset alone: %j', async (view) => {
        const whole = (await ask({ ...view, limit: 300 })).json()
        const page = (await ask({ ...view, limit: 2, offset: 1 })).json()
        expect(rowsOf(page)).toEqual(rowsOf(whole).slice(1, 3))
        expect(page).toMatchObject({
          grouped_by: view.group_by,
          rows_returned: rowsOf(page).length,
        })
        for (const name of ['has_more', 'offset', 'limit', 'next_cursor']) {
          expect(page).not.toHaveProperty(name)
        }
      })

      test.each([...paged, ...unpaged])(
        '200: has the fields of its schema and no others: %j',
        async (view) => {
          validateAnswer ??= new Ajv({ strict: false }).compile(closed(answerOf(paths, list.path)))
          validateAnswer((await ask({ ...view, limit: 50 })).json())
          expect(validateAnswer.errors).toBeNull()
        },
      )

      test.each([...paged.slice(0, FORMAT_VIEWS), ...unpaged])(
        '200: CSV, NDJSON and Parquet have the rows of JSON: %j',
        async (view) => {
          const query = { ...view, limit: 20 }
          const rows = rowsOf((await ask(query)).json()) as Record<string, unknown>[]
          const ndjson = await ask(query, { accept: 'application/x-ndjson' })
          expect(ndjson.headers.vary).toBe('accept, accept-encoding')
          expect(ndjson.headers['content-type']).toMatch('application/x-ndjson')
          expect(
            ndjson.body
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line)),
          ).toEqual(rows)

          const csv = await ask({ ...query, format: 'csv' })
          expect(csv.headers).toMatchObject({ 'x-rows-returned': `${rows.length}` })
          const [columns = [], ...lines] = parseCsv(csv.body)
          expect(lines.length).toBe(rows.length)
          for (const [index, cells] of lines.entries()) {
            const row = rows[index] ?? {}
            expect(cells).toEqual(columns.map((column) => toCell(row[column])))
            expect(columns).toEqual(expect.arrayContaining(Object.keys(row)))
          }

          const parquet = await ask(query, { accept: 'application/vnd.apache.parquet' })
          expect(parquet.headers['content-type']).toBe('application/vnd.apache.parquet')
          const stored = await readWithDuckdb(parquet.rawPayload)
          expect(Object.keys(stored.types)).toEqual(columns)
          const toTexts = (row: Record<string, unknown>) =>
            columns.map((name) => asDuckdbText(row[name], stored.types[name] ?? ''))
          expect(stored.rows.map((row) => columns.map((name) => duckdbText(row[name])))).toEqual(
            rows.map(toTexts),
          )
          const mistyped = columns.flatMap((name) => {
            const shown = rows.map((row) => shownType(name, row[name])).find((type) => type)
            return shown === undefined || shown === stored.types[name] ? [] : [name, shown]
          })
          expect(mistyped).toEqual([])
        },
      )

      test.runIf(isOfSeq && takes('after'))(
        '200: a Parquet file without rows has the columns of others',
        async () => {
          const { rawPayload } = await ask({ before: 1, format: 'parquet' })
          expect(await readParquet(rawPayload)).toEqual([])
          const others = await ask({ limit: 1, format: 'parquet' })
          expect(parquetColumns(rawPayload)).toEqual(parquetColumns(others.rawPayload))
        },
      )

      test('200: HEAD has the headers of GET and no body', async () => {
        const { key } = await world.createCaller('starter')
        const headers = { 'x-api-key': key }
        const reply = await world.app.inject({
          method: 'HEAD',
          url: `${path()}?${new URLSearchParams({ ...base(), limit: '2' })}`,
          headers,
        })
        expect(reply).toMatchObject({ statusCode: 200, body: '' })
        expect(reply.headers).toMatchObject({ 'x-rows-returned': '2', 'x-has-more': 'true' })
      })

      test('200: limits out of range are moved into it', async () => {
        expect((await ask({ limit: 100_000 })).json()).toMatchObject({ limit: limitMax })
        expect((await ask({ limit: 0 })).json()).toMatchObject({ limit: 1 })
        expect((await ask({ offset: -5, limit: 1 })).json()).toMatchObject({ offset: 0 })
      })

      test.each(paged)('200: a walk by cursor sees nothing newer than its first page: %j', async (view) => {
        if (!isOfSeq) return
        const { sql } = world.ctx
        const [{ block = 0 } = {}] = await sql<{ block: number }[]>`select block from chain_state`
        const middle = world.fills[Math.floor(world.fills.length / 2)]?.block ?? 0
        await sql`update chain_state set block = ${middle}`
        const whole = rowsOf((await ask({ ...view, limit: 300 })).json())
        const first = (await ask({ ...view, limit: 5 })).json()
        await sql`update chain_state set block = ${block}`

        const walked = rowsOf(first)
        for (let cursor = first.next_cursor; cursor !== null && walked.length < 300; ) {
          const page = (await ask({ ...view, limit: 50, cursor })).json()
          walked.push(...rowsOf(page))
          cursor = page.next_cursor
        }
        expect(walked.slice(0, 300)).toEqual(whole)
      })

      test.each(Object.entries(wrongValues(list.query)))('400: a wrong %s is named', async (name, wrong) => {
        for (const value of wrong) {
          const reply = await world.get(path(), { ...base(), [name]: value })
          expect(reply.statusCode, `${name}=${value}`).toBe(400)
          expect(reply.json().error).toContain(name)
        }
      })

      test.runIf(takes('after'))('400: a time in milliseconds, with a hint', async () => {
        const reply = await world.get(path(), { ...base(), after: 1_793_000_000_123 })
        expect(reply.json()).toEqual({
          error: expect.stringContaining('after'),
          hint: 'after=1793000000',
        })
      })

      test.runIf(takes('after'))('400: a range that ends before it begins', async () => {
        expect((await world.get(path(), { ...base(), after: 10, before: 9 })).statusCode).toBe(400)
      })

      test('400: a cursor that is malformed, foreign, too old, or beside an offset', async () => {
        if (!takes('cursor')) return
        const { next_cursor: cursor } = (await ask({ limit: 1 })).json()
        const refused = async (query: object) => {
          const reply = await world.get(path(), { ...base(), limit: 1, ...query })
          expect(reply.statusCode).toBe(400)
          expect(reply.json().error).toContain('cursor')
        }
        await refused({ cursor: 'abc' })
        await refused({ cursor: `${cursor.slice(0, -2)}AA` })
        if (takes('order')) await refused({ cursor, order: 'asc' })
        await refused({ cursor, offset: 1 })
        for (const view of unpaged) await refused({ cursor, ...view })
        const other = await world.createCaller('enterprise')
        const stolen = await world.get(path(), { ...base(), limit: 1, cursor }, { 'x-api-key': other.key })
        expect(stolen.statusCode).toBe(400)
        world.clock.set(world.clock.now() + 24 * 3_600_000 + 1)
        await refused({ cursor })
        world.clock.set(world.clock.now() - 24 * 3_600_000 - 1)
        await ask({ limit: 1, cursor })
      })

      test('401 without a key, 402 on the free plan', async () => {
        expect((await world.app.inject(path())).statusCode).toBe(401)
        const { key } = await world.createCaller('free')
        const reply = await world.app.inject({ url: path(), headers: { 'x-api-key': key } })
        expect(reply.statusCode).toBe(402)
      })
    },
  )

  // The last tests of the world: they take rows away from under the lists.
  describe('when what rows refer to has vanished', () => {
    beforeAll(() => deleteReferences(world))

    const views = subjects.flatMap((subject) =>
      subject.paged.map((view) => [subject.list.path, view, subject] as const),
    )
    test.each(views)(
      'pages of %s with %j go on behind the rows that are left out',
      async (_path, view, { list, path, base, limitMax = 300 }) => {
        const needed = typeof base === 'function' ? base(world) : base
        const ask = async (query: object) => {
          const reply = await world.get(path(world), { ...needed, ...view, ...query })
          expect(reply.statusCode, reply.body).toBe(200)
          return reply.json()
        }
        const byCursor = 'cursor' in list.query.properties
        const whole = (await ask({ limit: Math.min(limitMax, WALKED_ROWS) }))[list.name]
        expect(whole.length).toBeGreaterThan(0)
        const walked: object[] = []
        for (let page = await ask({ limit: 3 }), offset = 3; ; offset += 3) {
          expect(page[list.name].length).toBeLessThanOrEqual(3)
          walked.push(...page[list.name])
          if (!page.has_more || walked.length >= whole.length) break
          page = await ask({ limit: 3, ...(byCursor ? { cursor: page.next_cursor } : { offset }) })
        }
        expect(walked.slice(0, whole.length)).toEqual(whole)
      },
    )
  })
}

/**
 * Deletes some of what rows of lists are joined with, as a reorganisation does, and the catalogue when a market is
 * gone. Ids of what the subjects themselves are stay.
 */
async function deleteReferences({ ctx: { sql } }: ApiWorld): Promise<void> {
  const kept = async (table: string) => {
    const [row] = await sql<{ count: number }[]>`
      with gone as (
        delete from ${sql(table)} where abs(hashint4(${sql(IDS[table] ?? 'id')})) % 10 = 0 returning 1)
      select count(*)::integer as count from gone`
    expect(row?.count, table).toBeGreaterThan(0)
  }
  for (const table of Object.keys(IDS)) await kept(table)
}

/** The tables that are joined, and the column that names their rows. */
const IDS: Record<string, string> = {
  blocks: 'number',
  wallets: 'id',
  tokens: 'id',
  conditions: 'id',
  markets: 'id',
  events: 'id',
}

/** Values that each parameter refuses, from its schema. */
function wrongValues(query: TObject): Record<string, string[]> {
  const entries = Object.entries(query.properties as Record<string, TSchema>).map(
    ([name, schema]): [string, string[]] => [name, wrongOf(schema as Record<string, unknown>)],
  )
  return Object.fromEntries(entries.filter(([, wrong]) => wrong.length > 0))
}

function wrongOf(schema: Record<string, unknown>): string[] {
  if (Array.isArray(schema.enum)) {
    // A format may allow more than one spelling of a value.
    const misspelt = schema.format === undefined ? [String(schema.enum[0]).toUpperCase()] : []
    return ['', 'nonsense', ...misspelt]
  }
  if (schema.pattern !== undefined && schema.maxLength === undefined) {
    return ['', 'nonsense', '0x12', '-1', '1e3', '9'.repeat(100)]
  }
  if (schema.type === 'integer') return ['', 'x', '1.5', '1e3', ' 7']
  if (schema.type === 'boolean') return ['', 'yes', '2']
  return ['']
}

/** What the OpenAPI document says of the answers of a list. */
function answerOf(paths: Record<string, { get: Operation }>, path: string): object {
  const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.get ?? expect.fail(`${path} is not documented`)
  return operation.responses[200].content['application/json'].schema
}

/** The same schema, which allows no other fields. */
function closed(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema), (_key, value) =>
    value?.type === 'object' && value.properties !== undefined
      ? { ...value, additionalProperties: false }
      : value,
  )
}

const toCell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
