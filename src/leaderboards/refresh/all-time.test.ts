import fc from 'fast-check'
import { expect, test } from 'vitest'
import { counts } from '../../../test/counts.js'
import { unrealizedOf } from '../../lookups/position.js'
import type { Sql } from '../../store/connection.js'
import { selectWalletSummaries } from '../../wallets/queries.js'
import { refreshBoards } from './refresh.js'
import { TestLedger } from './test-ledger.js'

const MINUTE_MS = 60_000

type Move =
  | { kind: 'book' | 'rewind' | 'refresh'; by: number }
  | { kind: 'resolve'; condition: number }
  | { kind: 'price'; market: number; mid: number | null }
  | { kind: 'retag'; event: number; tags: number[] }

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('book'), by: fc.integer({ min: 1, max: 6 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rewind'), by: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('refresh'), by: fc.nat(6) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resolve'),
      condition: fc.integer({ min: 1, max: 7 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('price'),
      market: fc.nat(40),
      mid: fc.option(fc.nat(1_000_000)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('retag'),
      event: fc.nat(40),
      tags: fc.array(fc.nat(5), { maxLength: 3 }),
    }),
  },
)

test('boards of all time are the sums of the positions, whatever came, was reverted or got other tags', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1_000_000),
      fc.array(move, { minLength: 15, maxLength: 40, size: 'max' }),
      async (seed, moves) => {
        const ledger = await TestLedger.open(seed)
        try {
          await playMoves(ledger, moves)
        } finally {
          await ledger.database.drop()
        }
      },
    ),
    { numRuns: counts({ short: 4, long: 100 }) },
  )
}, 600_000)

async function playMoves(ledger: TestLedger, moves: readonly Move[]): Promise<void> {
  const { sql } = ledger.database
  let nowMs = 0
  const refresh = async (minutes: number) => {
    nowMs += minutes * MINUTE_MS
    await refreshBoards(sql, nowMs)
    expect(await readBoards(sql)).toEqual(await sumPositions(sql))
  }
  await ledger.book()
  for (const next of moves) {
    if (next.kind === 'book') for (let n = 0; n < next.by; n++) await ledger.book()
    if (next.kind === 'rewind') await ledger.rewind(next.by)
    if (next.kind === 'resolve') await ledger.resolve(next.condition)
    if (next.kind === 'price') await ledger.setMid(next.market, next.mid)
    if (next.kind === 'retag') await ledger.retag(next.event, next.tags)
    if (next.kind === 'refresh') await refresh(next.by)
  }
  await refresh(5)
  await compareWithWallets(sql)
  const kept = await readBoards(sql)
  await sql`update board_state set block = null`
  await refresh(0)
  expect(await readBoards(sql)).toEqual(kept)
}

/** Each board by the name of its scope and the wallet. */
async function readBoards(sql: Sql): Promise<Map<string, Sums>> {
  const rows = await sql<(Sums & { name: string })[]>`
    select s.kind || ' ' || s.value || ' ' || b.wallet as name, b.positions, b.open_positions, b.wins,
           b.losses, b.realized, b.unrealized, b.total, b.profit, b.loss, b.gained, b.lost, b.bought
      from all_time_boards b
      join board_scopes s on s.id = b.scope`
  return new Map(rows.map(({ name, ...sums }) => [name, sums]))
}

type Sums = ReturnType<typeof zeros>
const zeros = () => ({
  positions: 0,
  openPositions: 0,
  wins: 0,
  losses: 0,
  realized: 0n,
  unrealized: 0n,
  total: 0n,
  profit: 0n,
  loss: 0n,
  gained: 0n,
  lost: 0n,
  bought: 0n,
})

type PositionRow = {
  wallet: number
  balance: bigint
  held: bigint
  cost: bigint
  realized: bigint
  bought: bigint
  boughtCost: bigint
  numerator: string
  denominator: string
  tags: string[]
}

/** The same, recomputed from the positions, at the prices that the boards have. */
async function sumPositions(sql: Sql): Promise<Map<string, Sums>> {
  const rows = await sql<PositionRow[]>`
    select p.wallet, p.balance, p.held, p.cost, p.realized, p.bought, p.bought_cost,
           b.numerator::text, b.denominator::text,
           array(select g.slug from event_tags et join tags g on g.id = et.tag
                  where et.event = m.event order by et.place) as tags
      from positions p
      join tokens t on t.id = p.token
      join board_tokens b on b.token = p.token
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market
     where p.is_combo = 0`
  const boards = new Map<string, Sums>()
  for (const row of rows) {
    if (row.bought === 0n && row.balance <= 0n) continue
    const price = { numerator: BigInt(row.numerator), denominator: BigInt(row.denominator) }
    const unrealized = unrealizedOf(row, price)
    const category = row.tags[0]
    const scopes = [
      'all ',
      ...(category === undefined ? [] : [`category ${category}`]),
      ...new Set(row.tags.map((tag) => `tag ${tag}`)),
    ]
    for (const scope of scopes) {
      const name = `${scope} ${row.wallet}`
      const sums = boards.get(name) ?? zeros()
      boards.set(name, sums)
      addPosition(sums, row, unrealized)
    }
  }
  return boards
}

function addPosition(sums: Sums, { balance, realized, bought }: PositionRow, unrealized: bigint) {
  const total = realized + unrealized
  sums.positions++
  if (balance > 0n) sums.openPositions++
  if (total > 0n) sums.wins++
  if (total < 0n) sums.losses++
  sums.realized += realized
  sums.unrealized += unrealized
  sums.total += total
  sums[total > 0n ? 'profit' : 'loss'] += total
  sums[realized > 0n ? 'gained' : 'lost'] += realized
  sums.bought += bought
}

/** At prices that were just refreshed, the board of all markets says what the wallets' own summaries say. */
async function compareWithWallets(sql: Sql): Promise<void> {
  const wallets = await sql<{ id: number; address: string }[]>`
    select id, '0x' || encode(address, 'hex') as address from wallets where id > 0`
  const boards = await readBoards(sql)
  const summaries = await selectWalletSummaries(
    sql,
    'market',
    wallets.map(({ address }) => address),
  )
  for (const [index, { id }] of wallets.entries()) {
    const { total, gained, lost, ...shown } = boards.get(`all  ${id}`) ?? zeros()
    expect(summaries[index]).toMatchObject(shown)
  }
}
