import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { counts } from '../../../test/counts.js'
import type { TestDatabase } from '../../../test/database.js'
import { hashTables } from '../../../test/table-hashes.js'
import { changeLogs, type RawLog, showOnlyUpTo } from '../follow/test-faulty-node.js'
import { type FollowWorld, fastTiming, openWorld } from '../follow/test-follow.js'
import { areDigestsRight } from '../write/fact-digests.js'
import { compareContents, readContents } from './test-contents.js'
import { corruptFacts } from './test-corruption.js'
import { BATCH_LIMITS, backfill, bookFrom, cloneDatabase, openLongWorld, ROWS_MAX } from './test-world.js'

let world: FollowWorld
/** What a service has booked that began at the start. */
let whole: TestDatabase
let healthy: Record<string, string>
let contents: Record<string, string[]>
let first: number
let head: number

beforeAll(async () => {
  // Long and busy enough for facts of nearly every kind.
  world = await openWorld({ seed: 8, historyMs: counts({ short: 14, long: 20 }) * 60_000, intensity: 1 })
  first = world.universe.chain.firstNumber
  head = world.universe.chain.head.number
  world.lies.lie = spoilSomeLogs
  whole = await bookFrom(world, first)
  healthy = await hash(whole)
  contents = await readContents(whole.sql)
  await whole.sql.end({ timeout: 1 })
})
afterAll(async () => {
  await whole.drop()
  await world.close()
})

const SPOILT_LENGTH = 40

/** So that some logs are in quarantine: their data is cut off. */
const spoilSomeLogs: FollowWorld['lies']['lie'] = ({ method }, answer) => {
  if (method !== 'eth_getLogs' || answer.result === undefined) return answer
  const logs = answer.result as { data: string; transactionHash: string }[]
  const spoil = (log: { data: string; transactionHash: string }) =>
    log.transactionHash.endsWith('a') ? { ...log, data: log.data.slice(0, SPOILT_LENGTH) } : log
  return { result: logs.map(spoil) }
}

const LARGE = { bytesMax: 1_000_000, waitMsMax: 60_000 }

/** How often the ledger was rebuilt is no matter. */
async function hash({ sql }: TestDatabase): Promise<Record<string, string>> {
  await sql`update chain_state set epoch = 0`
  return hashTables(sql)
}

/** The tables that are not as they were. */
async function differences(database: TestDatabase): Promise<string[]> {
  const found = await hash(database)
  return Object.keys(healthy).filter((table) => found[table] !== healthy[table])
}

const again = (database: TestDatabase, changes: Parameters<typeof backfill>[2] = {}) =>
  backfill(world, database, { again: true, batchLimits: LARGE, rowsMax: undefined, ...changes })

describe('blocks that are read again', () => {
  test('give facts of every kind back that are wrong in any column, lost or made up', async () => {
    const database = await cloneDatabase(whole)
    const changed = await corruptFacts(database.sql)
    expect(changed.length).toBeGreaterThan(80)
    const wrong = await differences(database)
    expect(wrong).toContain('quarantine')
    expect(wrong.length).toBeGreaterThan(15)
    const { replaced, isRebuilt } = await again(database)
    expect([...(replaced?.keys() ?? [])].sort()).toEqual(wrong)
    expect(isRebuilt).toBe(true)
    expect(await differences(database)).toEqual([])

    const { replaced: none } = await again(database, { factsOnly: true })
    expect(none).toEqual(new Map())
  })

  test('restore the names and the `since` of ids, with the numbers that other rows have', async () => {
    const database = await cloneDatabase(whole)
    const { sql } = database
    for (const [table, name, other, used] of [
      ['wallets', 'address', '\\x11', 'wallet from fills'],
      ['tokens', 'token', '\\x12', 'token from fills'],
      ['conditions', 'condition', '\\x13', 'condition from preparations'],
      ['builders', 'code', '\\x14', 'builder from fills where builder is not null'],
    ]) {
      const at = (share: number) =>
        `id = (select id from ${table} where id > 0 order by id
               offset (select count(*) * ${share} / 10 from ${table}) limit 1)`
      await sql.unsafe(`update ${table} set ${name} = '${other}' where ${at(2)}`)
      await sql.unsafe(`update ${table} set since = since - (3 << 20) where ${at(5)}`)
      await sql.unsafe(`update ${table} set since = since + (4 << 20) where ${at(7)}`)
      await sql.unsafe(
        `delete from ${table} where id = (select distinct ${used} order by 1 offset 3 limit 1)`,
      )
    }
    // Two wallets have changed their names.
    const [a, b] = await sql<{ id: number; address: Buffer }[]>`
      select id, address from wallets where id in (21, 33) order by id`
    await sql`update wallets set address = '\\x00' where id = 33`
    await sql`update wallets set address = ${b?.address ?? null} where id = 21`
    await sql`update wallets set address = ${a?.address ?? null} where id = 33`
    await sql`
      insert into wallets (id, address, since)
      select max(id) + 1, '\\x15', max(since) / 2 + min(since) / 2 from wallets where id > 0`
    await sql`update tokens set condition = condition + 1 where id = 40`
    await sql`update tokens set outcome = 1 - outcome where id in (50, 51)`
    await sql`update tokens set stated_in = stated_in - 5 where id = 60`
    await sql`update tokens set condition = null, outcome = null, stated_in = null where id = 70`
    await sql`update tokens set stated_in = stated_in + 7 where id = 80`
    expect(await differences(database)).toEqual(['builders', 'conditions', 'tokens', 'wallets'])
    const { replaced } = await again(database)
    expect([...(replaced?.keys() ?? [])].sort()).toEqual(['builders', 'conditions', 'tokens', 'wallets'])
    expect(await differences(database)).toEqual([])
  })

  test('repair the name of an id that older blocks have named first', async () => {
    const database = await cloneDatabase(whole)
    const { sql } = database
    const [busy] = await sql<{ wallet: number; first: number; last: number }[]>`
      select wallet, (min(seq) >> 20)::integer as first, (max(seq) >> 20)::integer as last
        from fills
       where not flags & 2 <> 0
       group by wallet
       order by count(*) desc
       limit 1`
    const { wallet = 0, last: block = 0 } = busy ?? {}
    expect(busy?.first).toBeLessThan(block)
    await sql`update wallets set address = '\\x11' where id = ${wallet}`
    const { blocks, replaced } = await again(database, { fromBlock: block, toBlock: block })
    expect({ blocks, replaced }).toEqual({ blocks: 1, replaced: new Map([['wallets', 1]]) })
    expect(await differences(database)).toEqual([])
  })

  test('leave one id to a name that got a second one after its row was lost', async () => {
    const database = await cloneDatabase(whole)
    const { sql } = database
    // The row of a busy wallet was renamed, and the head has met the wallet again since.
    const [busy] = await sql<{ wallet: number; address: Buffer; seq: bigint }[]>`
      select wallet, address, percentile_disc(0.5) within group (order by seq) as seq
        from fills
        join wallets on id = wallet
       group by wallet, address
       order by count(*) desc
       limit 1`
    const { wallet = 0, address = null, seq = 0n } = busy ?? {}
    await sql`update wallets set address = '\\x11' where id = ${wallet}`
    await sql`
      insert into wallets (id, address, since) select max(id) + 1, ${address}, ${seq} from wallets`
    await sql`
      update fills set wallet = (select max(id) from wallets)
       where wallet = ${wallet} and seq >= ${seq}`
    await again(database)
    expect(compareContents(await readContents(sql), contents)).toEqual({})
    expect(await areDigestsRight(sql, { fromBlock: 0, toBlock: head })).toBe(true)
  })

  test('give back what belongs to them: recent blocks, journal, coverage, partitions, ledger', async () => {
    const database = await cloneDatabase(whole)
    const { sql } = database
    await sql`update recent_blocks set hash = '\\x01', time = 1 where number = ${head - 20}`
    await sql`update recent_blocks set parent_hash = '\\x02' where number = ${head - 30}`
    await sql`delete from recent_blocks where number = ${head - 40}`
    await sql`delete from undo where block > ${head - 100}`
    await sql`delete from coverage`
    await sql`insert into coverage values (${first}, ${first + 10}), (${first + 90}, ${head + 9})`
    await sql`insert into wallets values (99999999, '\\x16', ${(head + 1) * 2 ** 20})`
    await expect(backfill(world, database, { toBlock: first + 100 })).rejects.toThrow(
      /are stored, though the blocks do not count as read\.\n.* auspex backfill --again --from \d+ --to \d+$/,
    )
    await sql.unsafe('drop table fees_p328')
    await sql`update positions set cost = cost + 1 where wallet = (select max(wallet) from positions)`
    await sql`delete from pnl where seq = (select max(seq) from pnl)`
    await sql`
      insert into quarantine
      values (${head * 2 ** 20}, 'out_of_range', '', '', '', '', '')`
    await again(database)
    expect(await differences(database)).toEqual([])
  })

  test('are only the requested ones', async () => {
    const database = await cloneDatabase(whole)
    const { sql } = database
    const spoil = (from: number, to: number) => sql`
      update fees set amount = amount + 1 where seq >> 20 between ${from} and ${to}`
    const { count: wrong } = await spoil(first, first + 600)
    const { count: within } = await sql`
      select from fees where seq >> 20 between ${first + 200} and ${first + 400}`
    const part = { fromBlock: first + 200, toBlock: first + 400, factsOnly: true }
    expect((await again(database, part)).replaced).toEqual(new Map([['fees', within]]))
    expect(await differences(database)).toEqual(['fees', 'repair'])
    const rest = await again(database)
    expect(rest.replaced).toEqual(new Map([['fees', wrong - within]]))
    expect(await differences(database)).toEqual([])
  })

  test('with --facts-only leave the ledger, and any backfill rebuilds it then', async () => {
    const database = await cloneDatabase(whole)
    const { sql } = database
    await sql`update fills set usd = usd + 1 where seq >> 20 > ${head - 500}`
    await sql`update positions set cost = cost + 1 where wallet = (select max(wallet) from positions)`
    const facts = await again(database, { factsOnly: true })
    expect(facts.isRebuilt).toBe(false)
    expect(await differences(database)).toEqual(['positions', 'repair'])
    const { isRebuilt } = await backfill(world, database, { polygon: undefined })
    expect(isRebuilt).toBe(true)
    expect(await differences(database)).toEqual([])
  })

  test('are gone on with after an interruption, and begun again for other blocks', async () => {
    const database = await cloneDatabase(whole)
    await corruptFacts(database.sql)
    const small = { batchLimits: BATCH_LIMITS, rowsMax: ROWS_MAX }
    const stop = (writes: number) => {
      const controller = new AbortController()
      let left = writes
      const write = () => {
        left -= 1
        if (left === 0) controller.abort(new Error('interrupted'))
      }
      return { ...small, signal: controller.signal, out: { isTTY: true, write } }
    }
    await expect(again(database, stop(4))).rejects.toThrow('interrupted')
    const [repair] = await database.sql<{ doneTo: number }[]>`select done_to from repair`
    expect(repair?.doneTo).toBeGreaterThan(first)
    let attempts = 0
    for (let writes = 3; ; writes += 2) {
      attempts += 1
      const result = await again(database, stop(writes)).catch((error) => {
        expect(error).toEqual(new Error('interrupted'))
      })
      if (result !== undefined) break
    }
    expect(attempts).toBeGreaterThan(2)
    expect(await differences(database)).toEqual([])

    await expect(again(database, stop(3))).rejects.toThrow('interrupted')
    await database.sql`update fills set fee = fee + 1 where seq >> 20 = ${head - 3}`
    const other = await again(database, { fromBlock: head - 10 })
    expect(other.range).toEqual({ fromBlock: head - 10, toBlock: head })
    expect(await differences(database)).toEqual([])
  })

  test('keep the facts of new blocks whose logs the node leaves out', async () => {
    const database = await cloneDatabase(whole)
    // Receipts would not have what `spoilSomeLogs` has spoilt: blocks with such a log stay whole.
    const leaveOut = changeLogs((logs) => {
      const isSpoilt = ({ data }: RawLog) => data.length === SPOILT_LENGTH
      const kept = new Set(logs.filter(isSpoilt).map(({ blockNumber }) => blockNumber))
      return logs.filter(({ blockNumber }) => Number(blockNumber) <= head - 100 || kept.has(blockNumber))
    })
    world.lies.lie = (request, answer) => leaveOut(request, spoilSomeLogs(request, answer))
    onTestFinished(() => {
      world.lies.lie = spoilSomeLogs
    })
    await again(database, { fromBlock: head - 100 })
    expect(await differences(database)).toEqual([])
  })

  test('are not taken from a node of another chain, nor from one that is behind', async () => {
    const database = await cloneDatabase(whole)
    const other = await openLongWorld({ seed: 6 })
    onTestFinished(other.close)
    const timing = { ...fastTiming, sleep: async () => undefined }
    await expect(backfill(other, database, { again: true, timing })).rejects.toThrow(
      'The node cannot be used: the node has another chain',
    )
    world.lies.lie = showOnlyUpTo(world.universe, head - 10)
    onTestFinished(() => {
      world.lies.lie = spoilSomeLogs
    })
    await expect(again(database, { timing })).rejects.toThrow(
      `The node does not have block ${head}, the last one that is booked: it is behind.`,
    )
    expect(await differences(database)).toEqual([])
  })
})
