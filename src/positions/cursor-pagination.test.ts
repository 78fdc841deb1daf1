import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Universe } from '../../sim/universe/universe.js'
import { createTestDatabase } from '../../test/database.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { BlockWriter } from '../chain/write/block-writer.js'
import { simulatedBatches } from '../chain/write/test-simulated-batches.js'
import type { Pool } from '../store/connection.js'
import { positionRoutes } from './routes.js'

const START_MS = Date.UTC(2026, 10, 3)
const universe = new Universe({ seed: 5, startMs: START_MS, intensity: 3 })
universe.advance(START_MS + 8 * 60_000)
const { chain } = universe
const batchOf = simulatedBatches(universe)
const HEAD = chain.head.number
/** The blocks above it are booked one by one, and journalled. */
const OLD = HEAD - 60

let t: TestApp
let sql: Pool
let line: BlockWriter
let key: string
/** The lists to page through: of the wallet, the token and the condition with the most positions, and of everything. */
let lists: string[]

beforeAll(async () => {
  const database = await createTestDatabase()
  sql = database.sql
  line = await BlockWriter.open({ pool: sql })
  await line.append([batchOf(chain.firstNumber + 1, OLD, false)])
  t = await createTestApp({ database, routes: (ctx) => [positionRoutes(ctx)] })
  key = (await t.createCaller('enterprise')).key
  const [wallet] = await sql<{ address: string }[]>`
    select '0x' || encode(address, 'hex') as address
      from wallets w join positions p on p.wallet = w.id
     where bought > 0 group by address order by count(*) desc limit 1`
  const [token] = await sql<{ token: string; condition: string }[]>`
    select '0x' || encode(token, 'hex') as token, '0x' || encode(c.condition, 'hex') as condition
      from (select p.token as id from positions p group by p.token order by count(*) desc limit 1) most
      join tokens t using (id) join conditions c on c.id = t.condition`
  lists = [
    ...['realized_pnl', 'size', 'volume', 'recent', 'avg_price'].map(
      (sort) => `/v3/wallets/${wallet?.address}/positions?limit=6&sort=${sort}`,
    ),
    `/v3/wallets/${wallet?.address}/positions?limit=6&sort=recent&order=asc&status=open`,
    ...['recent', 'pnl', 'size', 'volume'].map((sort) => `/v3/positions?limit=300&sort=${sort}`),
    '/v3/positions?limit=300&sort=recent&order=asc',
    '/v3/positions?limit=4&status=redeemable',
    `/v3/markets/${BigInt(token?.token ?? 0)}/positions?limit=15&sort=amount`,
    `/v3/markets/condition/${token?.condition}/positions?limit=30`,
  ]
})
afterAll(() => t.close())

type Row = Record<string, unknown>

async function getPage(path: string, cursor: string | undefined) {
  const url = cursor === undefined ? path : `${path}&cursor=${cursor}`
  const reply = await t.app.inject({ url, headers: { 'x-api-key': key } })
  expect(reply.statusCode, reply.body).toBe(200)
  const { positions, data, next_cursor: next } = reply.json()
  return { rows: (positions ?? data).map(stateOf) as Row[], next: next as string | null }
}

/** What the ledger says of a position. Prices are those of the moment. */
const stateOf = (row: Row): Row => {
  const { current_price, price_source, unrealized_pnl, total_pnl, ...state } = row
  return state
}

/** Pages through all lists at once. `between` is called after each page that is not the last one. */
async function readAllPages(between: (page: number) => Promise<void>) {
  const readers = lists.map((path) => ({ path, rows: [] as Row[], next: '' as string | null }))
  for (let page = 1; readers.some(({ next }) => next !== null); page++) {
    for (const reader of readers) {
      if (reader.next === null) continue
      const { rows, next } = await getPage(reader.path, reader.next === '' ? undefined : reader.next)
      reader.rows.push(...rows)
      reader.next = next
    }
    await between(page)
  }
  return new Map(readers.map(({ path, rows }) => [path, rows]))
}

const appendTo = async (toBlock: number, fork?: string) => {
  for (let block = (line.cursor?.block ?? 0) + 1; block <= toBlock; block++) {
    await line.append([batchOf(block, block, true, fork)])
  }
}

describe('cursor pagination over positions', () => {
  test('has every row once, as it was at its first page, while blocks come and go', async () => {
    await appendTo(OLD + 12)
    const before = await readAllPages(async () => undefined)
    const sizes = [...before.values()].map((rows) => rows.length)
    expect(Math.min(...sizes)).toBeGreaterThan(8)

    const first = line.cursor?.block ?? 0
    const paged = await readAllPages(async (page) => {
      const head = Math.min(first + page * 3, HEAD)
      if (page % 4 === 2) await line.revert(first)
      if (page % 4 === 3) await line.revert(first + 1)
      await appendTo(head, page % 2 === 0 ? 'f0' : undefined)
    })
    expect(paged).toEqual(before)
    expect(await readAllPages(async () => undefined)).not.toEqual(before)
  })

  test('has the rows that a replaced first block did not touch once', async () => {
    await line.revert(OLD + 12)
    await appendTo(OLD + 20)
    const touched = () => sql<{ wallet: string; token: string }[]>`
      select '0x' || encode(w.address, 'hex') as wallet, '0x' || encode(t.token, 'hex') as token
        from undo
        join wallets w on w.id = key[1]
        join tokens t on t.id = key[2]
       where state = 'positions' and block > ${OLD + 18}`
    const before = await readAllPages(async () => undefined)
    const changed = new Set<string>()
    const note = async () => {
      for (const { wallet, token } of await touched()) changed.add(`${wallet} ${BigInt(token)}`)
    }
    const paged = await readAllPages(async (page) => {
      await note()
      if (page === 1) await line.revert(OLD + 18)
      await appendTo(Math.min(OLD + 20 + page, HEAD - 3), 'f1')
      await note()
    })
    for (const path of lists.filter((path) => path.startsWith('/v3/positions'))) {
      const isQuiet = ({ wallet, token_id: token }: Row) => !changed.has(`${wallet} ${token}`)
      const expected = before.get(path)?.filter(isQuiet)
      expect(expected?.length).toBeGreaterThan(10)
      expect(paged.get(path)?.filter(isQuiet)).toEqual(expected)
    }
  })

  test('goes on with the rows of now when the journal does not reach back', async () => {
    const [path = ''] = lists
    const { next } = await getPage(path, undefined)
    await appendTo((line.cursor?.block ?? 0) + 3)
    await sql`update undo_floor set block = ${line.cursor?.block ?? 0}`
    const { rows } = await getPage(path, next ?? '')
    expect(rows).toEqual((await getPage(`${path}&offset=6`, undefined)).rows)
  })
})
