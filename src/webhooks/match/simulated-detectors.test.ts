import { afterAll, beforeAll, expect, test } from 'vitest'
import { counts } from '../../../test/counts.js'
import type { TestDatabase } from '../../../test/database.js'
import { randomFrom } from '../../../test/random.js'
import { byPlace, isTakerOrder, readFills } from '../../../test/trades/fill-model.js'
import { bookFrom } from '../../chain/backfill/test-world.js'
import { type FollowWorld, openWorld } from '../../chain/follow/test-follow.js'
import { toTokenId } from '../../core/ids.js'
import { pricePerShare } from '../../core/money.js'
import { seqOf } from '../../core/seq.js'
import type { Detector } from './detector.js'
import { marketResolved } from './market-resolved.js'
import { pnlChange } from './pnl-change.js'
import { positionStatus } from './position-status.js'
import { priceChange } from './price-change.js'
import { detectAll, presented } from './test-detect.js'
import { modelStatuses } from './test-status-model.js'

let world: FollowWorld
let database: TestDatabase
beforeAll(async () => {
  world = await openWorld({ seed: 5, historyMs: 20 * 60_000 })
  database = await bookFrom(world, world.universe.chain.firstNumber)
})
afterAll(async () => {
  await database.drop()
  await world.close()
})

const before = () => world.universe.chain.firstNumber - 1
const detect = (detector: Detector, options = {}) => detectAll(database.sql, detector, before(), options)

/** Blocks at which the history is cut. */
function randomCuts(seed: number): number[] {
  const random = randomFrom(seed)
  const { firstNumber, head } = world.universe.chain
  const cuts = Array.from({ length: 1 + random(8) }, () => random(head.number - firstNumber))
  return [...new Set(cuts)].sort((a, b) => a - b).map((block) => firstNumber + block)
}

test.each([
  ['prices', priceChange],
  ['profits', pnlChange],
  ['statuses', positionStatus],
  ['results', marketResolved],
])('%s are the same however the facts are sliced', async (_what, detector) => {
  const whole = presented(await detect(detector))
  expect(whole).not.toEqual([])
  expect(new Set(whole.map(({ identity }) => identity)).size).toBe(whole.length)
  expect(whole.map(({ seq }) => seq)).toEqual(whole.map(({ seq }) => seq).sort((a, b) => a - b))
  for (let seed = 1; seed <= counts({ short: 2, long: 40 }); seed++) {
    expect(presented(await detect(detector, { cuts: randomCuts(seed) }))).toEqual(whole)
  }
})

test('every fill of a taking order moves the price of its pair, as the logs and the ledger say', async () => {
  const pairs = await database.sql<{ token: string; other: string; statedIn: number }[]>`
    select '0x' || encode(t.token, 'hex') as token, '0x' || encode(o.token, 'hex') as other, t.stated_in
      from tokens t
      join tokens o on o.condition = t.condition and o.outcome = 1 - t.outcome`
  const pairOf = new Map(pairs.map((pair) => [toTokenId(pair.token), pair]))
  const prices = new Map<string, bigint>()
  const expected: unknown[] = []
  const step = (seq: number, token: string, value: bigint) => {
    const last = prices.get(token)
    if (last !== value) expected.push({ seq, token, value, before: last ?? value })
    prices.set(token, value)
  }
  const fills = await readFills(world.host.url, world.universe)
  for (const fill of fills.filter((each) => isTakerOrder(each) && !each.isCombo).sort(byPlace)) {
    const { usd, shares } = fill
    const seq = seqOf(fill.block, fill.logIndex)
    step(seq, fill.token, pricePerShare(usd, shares))
    const pair = pairOf.get(fill.token)
    if (pair === undefined || fill.block < pair.statedIn) continue
    step(seq, toTokenId(pair.other), pricePerShare(shares - usd, shares))
  }
  const found = await detect(priceChange)
  const seen = found.flatMap(({ seq, change, keys }) =>
    change === undefined ? [] : [{ seq, token: keys.tokenId, value: change.value, before: change.before }],
  )
  expect(seen).toEqual(expected)

  const stored = await database.sql<{ token: string; usd: bigint; shares: bigint }[]>`
    select '0x' || encode(t.token, 'hex') as token, usd, shares
      from last_prices join tokens t on t.id = last_prices.token`
  for (const { token, usd, shares } of stored) {
    const last = prices.get(toTokenId(token))
    if (last !== undefined) expect(pricePerShare(usd, shares)).toBe(last)
  }
})

test('profits add up from the first step to what the ledger has', async () => {
  const found = presented(await detect(pnlChange))
  const values = new Map<string, bigint>()
  for (const { change } of found) {
    if (change === undefined) throw new Error('a profit is a change')
    const key = `${change.wallet} ${change.token}`
    expect(change.before).toBe(values.get(key) ?? 0n)
    expect(change.value).not.toBe(change.before)
    values.set(key, change.value)
  }
  const rows = await database.sql<{ key: string; realized: bigint }[]>`
    select concat('0x', encode(w.address, 'hex'), ' 0x', encode(t.token, 'hex')) as key, realized
      from positions p join wallets w on w.id = p.wallet join tokens t on t.id = p.token
     where realized <> 0`
  expect(new Map(rows.map(({ key, realized }) => [key, realized]))).toEqual(values)
})

test('statuses and amounts are those that the transfer logs give', async () => {
  const tokens = await database.sql<{ token: string; condition: string }[]>`
    select '0x' || encode(t.token, 'hex') as token, '0x' || encode(c.condition, 'hex') as condition
      from tokens t join conditions c on c.id = t.condition`
  const conditions = new Map(tokens.map(({ token, condition }) => [token, condition]))
  const expected = await modelStatuses(world.host.url, world.universe.chain.firstNumber, conditions)
  const found = presented(await detect(positionStatus))
  const seen = found.flatMap(({ data }) => {
    const fields = data as Record<string, string | number>
    const isKnown = expected.tokens.has(String(fields.token_id))
    const names = ['transaction_hash', 'wallet', 'token_id', 'from_status', 'to_status']
    const amounts = ['previous_amount', 'new_amount', 'delta_amount']
    return isKnown ? [[...names, ...amounts].map((name) => fields[name]).join(' ')] : []
  })
  expect(seen.length).toBeGreaterThan(100)
  expect(seen.sort()).toEqual(expected.changes.sort())
  const sources = new Set(found.map(({ data }) => (data as { source: string }).source))
  for (const source of ['erc1155_transfer', 'split', 'merge', 'redemption', 'resolution'])
    expect(sources).toContain(source)
})

test('wallets that no webhook watches cost nothing more than a look', async () => {
  const all = presented(await detect(positionStatus))
  const [first] = all.flatMap(({ keys }) => keys.wallets ?? [])
  const isWatched = (_type: string, wallet: string) => wallet === first
  const nowMs = 1_790_000_000_000
  const some = presented(await detect(positionStatus, { isWatched, nowMs }))
  expect(some.map(({ identity }) => identity)).toEqual(
    all.filter(({ keys }) => keys.wallets?.[0] === first).map(({ identity }) => identity),
  )
  expect(some[0]?.data).toMatchObject({ timestamp: new Date(nowMs).toISOString() })
  const own = presented(await detect(pnlChange, { isWatched }))
  expect(own.every(({ keys }) => keys.wallets?.[0] === first)).toBe(true)
  expect(await detect(positionStatus, { isWatched: () => false })).toEqual([])
  expect(await detect(pnlChange, { isWatched: () => false })).toEqual([])
})
