import { afterAll, beforeAll, expect, test } from 'vitest'
import { isBet } from '../markets/names.js'
import type { Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { type Deviation, listDeviations } from './deviations.js'
import { Portfolios } from './portfolio.js'
import { averagePriceOf } from './positions.js'
import { fillsOf } from './steps.js'
import { openTestWorld, type Row, type TestWorld } from './test-world.js'

let world: TestWorld
let universe: Universe

beforeAll(async () => {
  world = await openTestWorld(2)
  universe = world.universe
})
afterAll(() => world.host.close())

type Page = { data: Row[]; pagination: { next_cursor: string | null } }

async function readAllPages(path: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await world.get(`${path}&limit=1000${cursor && `&cursor=${cursor}`}`)
    rows.push(...page.data)
    cursor = page.pagination.next_cursor
  }
  return rows
}

/** The positions of a wallet that are not as the chain has them, by token, and its trades that are twice there. */
async function findDifferences(wallet: Wallet): Promise<string[]> {
  const [open, closed, trades] = await Promise.all([
    readAllPages(`/v2/positions?user=${wallet.address}`),
    readAllPages(`/v2/positions?user=${wallet.address}&status=CLOSED`),
    readAllPages(`/v2/trades?user=${wallet.address}&taker_only=false&filter_amount=0`),
  ])
  const shown = new Map([...open, ...closed].map((row) => [row.token_id, row]))
  const wrong = [...new Portfolios(universe).of(wallet).holdings].flatMap(([token, { position }]) => {
    const isListed = !isBet(token.of) && (position.bought > 0n || position.balance > 0n)
    const row = shown.get(token.decimal)
    const isRight = isListed
      ? row?.current_size === micros(position.balance) &&
        row.avg_price === micros(averagePriceOf(position)) &&
        row.realized_pnl === micros(position.realized) &&
        row.total_size === micros(position.bought)
      : row === undefined
    return isRight ? [] : [token.decimal]
  })
  const fills = universe.settledActs
    .ofWallet(wallet)
    .flatMap(({ tx: { act, hash } }) =>
      act.kind === 'match'
        ? fillsOf(act, wallet).map(({ order, shares }) => keyOf(hash, order.token, shares / 1e6))
        : [],
    )
  const left = [...fills]
  const repeated = trades.flatMap((row) => {
    const key = `${row.transaction_hash} ${row.token_id} ${row.size}`
    const index = left.indexOf(key)
    if (index === -1) return [`${row.transaction_hash} ${row.token_id}`]
    left.splice(index, 1)
    return []
  })
  expect(left).toEqual([])
  return [...wrong, ...repeated].sort()
}

const micros = (amount: bigint): number => Number(amount) / 1e6
const keyOf = (hash: string, token: Token, size: number): string => `${hash} ${token.decimal} ${size}`

const nameOf = (deviation: Deviation): string =>
  deviation.kind === 'repeated_trade'
    ? `${deviation.transactionHash} ${deviation.token.decimal}`
    : deviation.token.decimal

test('every wallet is as the chain has it, but for the deviations that are listed', async () => {
  const deviating = universe.wallets.filter((wallet) => listDeviations(universe, wallet).length > 0)
  expect(deviating.length).toBeGreaterThan(10)
  const others = universe.wallets.filter((_, index) => index % 40 === 0)
  for (const wallet of new Set([...deviating, ...others])) {
    const planted = listDeviations(universe, wallet)
    expect(await findDifferences(wallet)).toEqual(planted.map(nameOf).sort())
  }
})

test.each(['unindexed_close', 'stale_size', 'fee_in_average', 'repeated_trade'])(
  'some wallets have %s',
  (kind) => {
    const found = universe.wallets.flatMap((wallet) => listDeviations(universe, wallet))
    expect(found.filter((each) => each.kind === kind).length).toBeGreaterThan(0)
  },
)
