import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADDRESS } from '../../../sim/contracts/addresses.js'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { testLists } from '../../../test/lists/test-lists.js'
import {
  actorsOf,
  BUSY_WALLET,
  type DoneAct,
  isActOf,
  openBusyWorld,
  paidBy,
  readDoneActs,
} from '../test-acts.js'
import { walletRedemptions } from './routes.js'

let world: ApiWorld
let done: DoneAct[]
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 60 * 60_000, intensity: 2, comboShare: 0.2 })
  done = readDoneActs(world.universe)
}, 180_000)
afterAll(() => world.close())

const pathOf = (address: string) => `/v3/wallets/${address}/redemptions`
const ask = async (address: string, query: object = {}) => {
  const reply = await world.get(pathOf(address), { limit: 300, ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}
const redeemers = () => actorsOf(done, ['redeem', 'redeemCombo'])

describe('GET /v3/wallets/{address}/redemptions', () => {
  test('200: has what the wallet redeemed, and what was redeemed for it, newest first', async () => {
    const sources = new Set<unknown>()
    for (const address of redeemers()) {
      const expected = done.filter(isActOf(address)).flatMap(expectedRows)
      const { data } = await ask(address)
      expect(data).toMatchObject(expected)
      expect(data.length).toBe(expected.length)
      for (const row of data) sources.add(row.redemption_source)
    }
    const seen = ['auto_binary', 'auto_combo', 'direct_ctf', 'direct_other']
    expect([...sources].sort()).toEqual(seen)
  })

  test('200: pages name the next offset, the order and the source', async () => {
    const address =
      redeemers().find((each) => done.filter(isActOf(each)).flatMap(expectedRows).length > 1) ?? ''
    const { data } = await ask(address)
    const first = await ask(address, { limit: 1 })
    expect(first).toMatchObject({ next_offset: 1, order: 'desc', source: 'wallet_redemptions' })
    const last = await ask(address, { limit: 300, order: 'asc' })
    expect(last).toMatchObject({ next_offset: null, order: 'asc', data: [...data].reverse() })
  })

  test('200: an unknown wallet and a contract of the platform have none', async () => {
    for (const address of [`0x${'9'.repeat(40)}`, ADDRESS.autoRedeemer])
      expect((await ask(address)).data).toEqual([])
  })

  test('400: what is no address', async () => {
    const reply = await world.get(pathOf('0x12'))
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain('address')
  })
})

/** What the acts of the universe say of a row; the index of its log is left out. */
function expectedRows({ act, hash, block, timeSec }: DoneAct): object[] {
  const common = { timestamp: `${timeSec}`, transaction_hash: hash, block_number: block }
  if (act.kind === 'redeemCombo') {
    const { token, amount, payouts, route } = act
    const amounts = token.outcome === 0 ? [amount, 0] : [0, amount]
    return [
      {
        ...common,
        condition: `${token.of.conditionId}00`.slice(0, 66),
        payout: `${paidBy(amounts, payouts)}`,
        index_sets: [`${token.outcome + 1}`],
        redemption_source: comboSource(act),
        source_event: route === 'auto' ? 'Redemption' : 'PositionRedeemed',
        market_title: null,
      },
    ]
  }
  if (act.kind !== 'redeem') return []
  const { market, amounts, payouts, route } = act
  const { event } = market
  const isListed = Number(event.id) % 4 !== 0
  const winner = payouts[0] > 0 && payouts[1] > 0 ? null : payouts[0] > 0 ? 0 : 1
  const paid = paidBy(amounts, payouts)
  const isNegRisk = event.negRisk !== undefined
  const direct = isNegRisk ? 'direct_neg_risk' : 'direct_ctf'
  const auto = isNegRisk ? 'auto_neg_risk' : 'auto_binary'
  return [
    {
      ...common,
      condition: market.conditionId,
      condition_id: market.conditionId,
      payout: `${paid}`,
      payout_e6: `${paid}`,
      payout_usdc: paid / 1e6,
      index_sets: ['1', '2'],
      market_title: isListed ? market.question : null,
      market_slug: isListed ? market.slug : null,
      event_title: isListed ? event.title : null,
      event_slug: isListed ? event.slug : null,
      neg_risk: isNegRisk,
      token_ids: market.tokens.map(({ decimal }) => decimal),
      outcomes: isListed ? market.outcomes : null,
      payouts: [...payouts],
      outcome_prices: payouts.map((payout) => payout / (payouts[0] + payouts[1])),
      winning_outcome_index: winner,
      winning_outcome: isListed && winner !== null ? market.outcomes[winner] : null,
      winning_token_id: winner === null ? null : market.tokens[winner].decimal,
      redemption_source: route === 'auto' ? auto : direct,
      source_event:
        route !== 'auto' ? 'PayoutRedemption' : isNegRisk ? 'NegRiskRedemption' : 'BinaryRedemption',
    },
  ]
}

/** A combo of one leg is a market of another module. */
function comboSource({ route, token }: Extract<DoneAct['act'], { kind: 'redeemCombo' }>): string {
  if (route !== 'auto') return 'direct_other'
  const modules: Record<string, string> = { '1': 'auto_binary', '2': 'auto_neg_risk', '3': 'auto_combo' }
  return modules[token.of.conditionId.charAt(3)] ?? ''
}

testLists(openBusyWorld, [
  {
    list: walletRedemptions,
    path: () => pathOf(BUSY_WALLET),
    paged: [{}, { order: 'asc' }],
    unpaged: [],
  },
])
