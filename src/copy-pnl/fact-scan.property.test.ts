import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { counts } from '../../test/counts.js'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ensurePartitions } from '../chain/write/partitions.js'
import { AMOUNT_MAX } from '../core/money.js'
import { seqOf } from '../core/seq.js'
import { scanWallet } from './fact-scan.js'
import { copiedCash, NO_FACTS, toCopyScore } from './score.js'

const FIRST_BLOCK = 90_000_000
const BLOCKS = 40
const FIRST_SEC = 1_790_000_000
const BLOCK_SEC = 10

let database: TestDatabase
let wallets = 1
beforeAll(async () => {
  database = await createTestDatabase()
  const { sql } = database
  const last = FIRST_BLOCK + BLOCKS - 1
  await sql.begin((tx) => ensurePartitions(tx, FIRST_BLOCK, last, { bare: false }))
  await sql`
    insert into blocks
    select number, ${FIRST_SEC}::integer + (number - ${FIRST_BLOCK}::integer) * ${BLOCK_SEC}::integer, ''
      from generate_series(${FIRST_BLOCK}::integer, ${last}::integer) number`
  await sql`update chain_state set block = ${last}, block_time = ${FIRST_SEC + BLOCKS * BLOCK_SEC}`
  // A condition of a combo and one of a market.
  await sql`
    insert into conditions values (1, ${Buffer.from(`03${'00'.repeat(31)}`, 'hex')}, 0),
                                  (2, ${Buffer.from('aa'.repeat(32), 'hex')}, 0)`
})
afterAll(() => database.drop())

const KINDS = ['buy', 'sell', 'split', 'merge', 'redemption', 'conversion'] as const
type Kind = (typeof KINDS)[number]
type Fact = { kind: Kind; block: number; usd: bigint; shares: bigint; isOwn: boolean }

const fact: fc.Arbitrary<Fact> = fc.record({
  kind: fc.constantFrom(...KINDS),
  block: fc.nat({ max: BLOCKS - 1 }),
  usd: fc.oneof(fc.bigInt(0n, 3_000_000n), fc.bigInt(0n, AMOUNT_MAX)),
  shares: fc.oneof(fc.bigInt(0n, 3_000_000n), fc.bigInt(0n, AMOUNT_MAX)),
  // Others are of combos, or were not wanted by the wallet.
  isOwn: fc.boolean(),
})

/** Rows as the chain writes them. Facts of different tables share their `seq`. */
async function insertFacts(facts: readonly Fact[]): Promise<string> {
  const { sql } = database
  const id = ++wallets
  const address = `0x${id.toString(16).padStart(40, '0')}`
  await sql`insert into wallets values (${id}, ${Buffer.from(address.slice(2), 'hex')}, 0)`
  const logCounts = new Map<string, number>()
  for (const { kind, block, usd, shares, isOwn } of facts) {
    const table = TABLES[kind]
    const index = logCounts.get(`${table} ${block}`) ?? 0
    logCounts.set(`${table} ${block}`, index + 1)
    const seq = seqOf(FIRST_BLOCK + block, id * 100 + index)
    const none = Buffer.alloc(0)
    if (table === 'fills') {
      const flags = (kind === 'sell' ? 1 : 0) + (isOwn ? 0 : 128)
      await sql`
        insert into fills (seq, usd, shares, fee, wallet, taker, exchange, token, flags, order_hash, tx_hash)
        values (${seq}, ${usd}, ${shares}, 7, ${id}, 0, 0, 1, ${flags}, ${none}, ${none})`
    } else if (table === 'splits') {
      const flags = (kind === 'merge' ? 1 : 0) + (isOwn ? 4 : 2)
      await sql`insert into splits values (${seq}, ${usd}, ${id}, 2, ${flags}, ${none}, null)`
    } else if (table === 'redemptions') {
      const condition = isOwn ? 2 : 1
      await sql`
        insert into redemptions values (${seq}, ${usd}, ${id}, ${condition}, 6, '{}', '{}', ${none})`
    } else {
      await sql`
        insert into conversions values
          (${seq}, ${shares}, ${shares}, ${usd}, ${id}, ${none}, ${none}, '{}', '{}', ${none})`
    }
  }
  return address
}

const TABLES: Record<Kind, 'fills' | 'splits' | 'redemptions' | 'conversions'> = {
  buy: 'fills',
  sell: 'fills',
  split: 'splits',
  merge: 'splits',
  redemption: 'redemptions',
  conversion: 'conversions',
}

const isCounted = ({ kind, isOwn }: Fact): boolean => isOwn || kind === 'conversion'

/** Both cash flows in ten-thousandths of a millionth, fact by fact. */
function expectedCash(facts: readonly Fact[], bp: bigint) {
  let [actual, copied] = [0n, 0n]
  for (const { kind, usd, shares } of facts) {
    const cash = usd * 10_000n
    const worse = usd * (10_000n + bp)
    const dollar = shares * 10_000n
    const paid = cash > dollar ? cash : worse < dollar ? worse : dollar
    const flows: Record<Kind, [bigint, bigint]> = {
      buy: [-cash, -paid],
      sell: [cash, usd * (10_000n - bp)],
      split: [-cash, -cash],
      merge: [cash, cash],
      redemption: [cash, cash],
      conversion: [cash, cash],
    }
    actual += flows[kind][0]
    copied += flows[kind][1]
  }
  return { actual, copied }
}

const nearest = (value: bigint, by: bigint): bigint =>
  value < 0n ? -nearest(-value, by) : (value + by / 2n) / by

const CENT = 100_000_000n

test('scores are those of the facts of each window, one by one, whatever the pages', async () => {
  const request = fc.record({
    facts: fc.array(fact, { maxLength: 30 }),
    bp: fc.oneof(fc.constantFrom(0, 200, 10_000), fc.integer({ min: 0, max: 10_000 })),
    // The longest window first.
    from: fc.tuple(fc.nat({ max: 20 }), fc.integer({ min: 21, max: BLOCKS })),
    to: fc.integer({ min: 20, max: BLOCKS - 1 }),
    pageFacts: fc.integer({ min: 5, max: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ facts, bp, from, to, pageFacts }) => {
      const address = await insertFacts(facts)
      const secOf = (block: number) => FIRST_SEC + block * BLOCK_SEC
      const order = { address, fromSecs: from.map(secOf), toSec: secOf(to), slippageBp: bp }
      const limits = { isOver: () => false, pageFacts }
      const windows = await scanWallet(database.sql, order, limits)
      for (const [index, first] of from.entries()) {
        const inside = facts.filter((each) => isCounted(each) && each.block >= first && each.block <= to)
        const { actual, copied } = expectedCash(inside, BigInt(bp))
        const { facts: sums, isPartial } = windows[index] ?? expect.fail()
        const score = toCopyScore(sums, bp)
        const isFill = ({ kind }: Fact) => kind === 'buy' || kind === 'sell'
        expect(isPartial).toBe(false)
        expect(score).toMatchObject({
          trades: inside.filter(isFill).length,
          actual: nearest(actual, CENT),
          backtest: nearest(copied, CENT),
          slippage: nearest(actual - copied, CENT),
        })
        expect(score.slippage).toBeGreaterThanOrEqual(0n)
        expect(score.rate === null).toBe(score.actual > -100n && score.actual < 100n)
        if (bp === 0) expect(score.backtest).toBe(score.actual)
      }
    }),
    { numRuns: counts({ short: 60, long: 2_000 }) },
  )
}, 300_000)

test('a scan that runs out of time has the newest facts, and its shorter windows are whole', async () => {
  const facts: Fact[] = Array.from({ length: 30 }, (_, block) => ({
    kind: 'sell',
    block,
    usd: 1_000_000n,
    shares: 2_000_000n,
    isOwn: true,
  }))
  const address = await insertFacts(facts)
  const fromSecs = [0, 10, 25].map((block) => FIRST_SEC + block * BLOCK_SEC)
  const order = { address, fromSecs, toSec: FIRST_SEC + BLOCKS * BLOCK_SEC, slippageBp: 200 }
  const scan = async (pages: number) => {
    let page = 0
    const isOver = () => ++page >= pages
    const windows = await scanWallet(database.sql, order, { isOver, pageFacts: 11 })
    return windows.map(({ facts: sums, isPartial }) => [sums.trades, isPartial])
  }
  // The last fact of a full page is left for the next.
  expect(await scan(1)).toEqual([
    [10, true],
    [10, true],
    [5, false],
  ])
  expect(await scan(2)).toEqual([
    [20, true],
    [20, false],
    [5, false],
  ])
  expect(await scan(3)).toEqual([
    [30, false],
    [20, false],
    [5, false],
  ])
})

test('a copier pays a dollar a share at most, and never less than the wallet', () => {
  const amount = fc.bigInt(0n, AMOUNT_MAX)
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 0, max: 10_000 }), (usd, shares, bp) => {
      const isCapped = usd * BigInt(10_000 + bp) > shares * 10_000n
      const copiedCapped = usd > shares ? usd : shares
      const capped = { boughtCapped: usd, copiedCapped }
      const paid = copiedCash({ ...NO_FACTS, ...(isCapped ? capped : { bought: usd }) }, bp)
      expect(paid).toBeGreaterThanOrEqual(usd)
      expect(paid).toBeLessThanOrEqual(usd > shares ? usd : shares)
      expect(copiedCash({ ...NO_FACTS, sold: usd }, bp)).toBeLessThanOrEqual(usd)
    }),
  )
})
