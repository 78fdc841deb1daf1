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
import { walletActivity, walletConversions, walletFlows, walletMerges, walletSplits } from './routes.js'

let world: ApiWorld
let done: DoneAct[]
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 60 * 60_000, intensity: 2, comboShare: 0.2 })
  done = readDoneActs(world.universe)
}, 180_000)
afterAll(() => world.close())

const rowsOf = async (path: string, name: string, query: object = {}) => {
  const reply = await world.get(path, { limit: 300, ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()[name]
}

async function expectTimesToChoose(path: string): Promise<void> {
  const all: { timestamp: string }[] = await rowsOf(path, 'data')
  const middle = Number(all[Math.floor(all.length / 2)]?.timestamp)
  const newer = await rowsOf(path, 'data', { after: middle, order: 'asc' })
  expect(newer).toEqual(all.filter(({ timestamp }) => Number(timestamp) >= middle).reverse())
  const older = await rowsOf(path, 'data', { before: middle })
  expect(older).toEqual(all.filter(({ timestamp }) => Number(timestamp) <= middle))
}

describe('GET /v3/wallets/{address}/activity', () => {
  const pathOf = (address: string) => `/v3/wallets/${address}/activity`

  test('200: has what the wallet did with tokens beside trading, newest first', async () => {
    const seen = new Set<string>()
    for (const address of actorsOf(done, ['split', 'merge', 'redeem', 'convert', 'redeemCombo'])) {
      const expected = done.filter(isActOf(address)).flatMap(expectedActivity)
      expect(await rowsOf(pathOf(address), 'data')).toEqual(expected.slice(0, 300))
      for (const { event_type: type, extra } of expected) seen.add(`${type} ${extra !== null}`)
    }
    expect([...seen].sort()).toEqual(['merge false', 'nrc true', 'redemption true', 'split false'])
  })

  test('200: `order`, `after` and `before` choose rows as the times say', async () => {
    const [address = ''] = actorsOf(done, ['split'])
    await expectTimesToChoose(pathOf(address))
  })

  test('200: a contract of the platform does nothing of its own', async () => {
    expect(await rowsOf(pathOf(ADDRESS.exchangeV1), 'data')).toEqual([])
  })
})

describe.each([
  ['splits', 'split'],
  ['merges', 'merge'],
  ['nrc', 'convert'],
] as const)('GET /v3/wallets/{address}/%s', (name, kind) => {
  const pathOf = (address: string) => `/v3/wallets/${address}/${name}`

  test('200: has these acts of the wallet and no others, newest first', async () => {
    const wallets = actorsOf(done, [kind])
    expect(wallets.length).toBeGreaterThan(0)
    for (const address of wallets.slice(0, 30)) {
      const acts = done.filter(isActOf(address)).filter(({ act }) => act.kind === kind)
      expect(await rowsOf(pathOf(address), 'data')).toEqual(acts.flatMap(expectedRow).slice(0, 300))
    }
  })

  test('200: `order`, `after` and `before` choose rows as the times say', async () => {
    const [address = ''] = actorsOf(done, [kind])
    await expectTimesToChoose(pathOf(address))
  })

  test('200: an unknown wallet and a contract of the platform have none', async () => {
    for (const address of [`0x${'9'.repeat(40)}`, ADDRESS.exchangeV1])
      expect(await rowsOf(pathOf(address), 'data')).toEqual([])
  })

  test('400: what is no address', async () => {
    const reply = await world.get(pathOf('0x12'))
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain('address')
  })
})

function expectedRow({ act, hash, timeSec }: DoneAct): object[] {
  const common = {
    id: expect.stringMatching(new RegExp(`^${hash}_0x[0-9a-f]+$`)),
    timestamp: `${timeSec}`,
  }
  switch (act.kind) {
    case 'split':
    case 'merge':
      return [{ ...common, condition: act.market.conditionId, amount: `${act.amount}` }]
    case 'convert':
      return [
        {
          ...common,
          neg_risk_market_id: act.event.negRisk?.marketId,
          amount: `${act.amount}`,
          index_set: `${act.indexSet}`,
          question_count: act.event.markets.length,
        },
      ]
    default:
      return []
  }
}

function expectedActivity({ act, hash, timeSec }: DoneAct) {
  const row = (type: string, reference: string, amount: number, extra: string | null = null) => [
    {
      event_type: type,
      id: expect.stringMatching(new RegExp(`^${hash}_0x[0-9a-f]+$`)),
      timestamp: `${timeSec}`,
      ref_id: reference,
      amount: `${amount}`,
      extra,
    },
  ]
  switch (act.kind) {
    case 'split':
    case 'merge':
      return row(act.kind, act.market.conditionId, act.amount)
    case 'redeem': {
      const { amounts, payouts, market } = act
      return row('redemption', market.conditionId, paidBy(amounts, payouts), '{1,2}')
    }
    case 'convert':
      return row('nrc', act.event.negRisk?.marketId ?? '', act.amount, `${act.event.markets.length}`)
    default:
      return []
  }
}

describe('GET /v3/wallets/{address}/polyusd-flows', () => {
  const pathOf = (address: string) => `/v3/wallets/${address}/polyusd-flows`

  test('200: has what the wallet brought and took out, with the sums of all rows', async () => {
    const kinds = new Set<string>()
    const some = [...actorsOf(done, ['withdraw']).slice(0, 12), ...actorsOf(done, ['deposit']).slice(0, 12)]
    for (const address of some) {
      const expected = done.filter(isActOf(address)).flatMap(expectedFlow)
      for (const { event_type: kind } of expected) kinds.add(kind)
      for (const kind of ['all', 'deposit', 'withdrawal']) {
        const wanted = expected.filter((row) => kind === 'all' || row.event_type === kind)
        const [brought, taken] = ['deposit', 'withdrawal'].map((type) =>
          wanted
            .filter((row) => row.event_type === type)
            .reduce((sum, row) => sum + Number(row.amount_raw), 0),
        )
        const reply = (await world.get(pathOf(address), { kind, limit: 2 })).json()
        expect(reply).toMatchObject({
          address,
          flows: wanted.slice(0, 2),
          total_matching_rows: wanted.length,
          total_deposited: (brought ?? 0) / 1e6,
          total_withdrawn: (taken ?? 0) / 1e6,
          net_deposited: ((brought ?? 0) - (taken ?? 0)) / 1e6,
          source: 'polyusd_flows',
        })
      }
    }
    expect([...kinds].sort()).toEqual(['deposit', 'withdrawal'])
  })

  test('200: an unknown wallet has no flows and sums of 0', async () => {
    const reply = await world.get(pathOf(`0x${'9'.repeat(40)}`))
    expect(reply.json()).toMatchObject({
      flows: [],
      total_matching_rows: 0,
      total_deposited: 0,
      total_withdrawn: 0,
      net_deposited: 0,
    })
  })

  test('400: an unknown kind, with the kinds that there are', async () => {
    const reply = await world.get(pathOf(`0x${'9'.repeat(40)}`), { kind: 'transfer' })
    expect(reply.statusCode).toBe(400)
    expect(reply.json().allowed).toEqual(['all', 'deposit', 'withdrawal'])
  })
})

function expectedFlow({ act, hash, block, timeSec }: DoneAct) {
  if (act.kind !== 'deposit' && act.kind !== 'withdraw') return []
  const isDeposit = act.kind === 'deposit'
  return [
    {
      event_type: isDeposit ? 'deposit' : 'withdrawal',
      direction: isDeposit ? 'in' : 'out',
      amount: act.amount / 1e6,
      amount_usdc: act.amount / 1e6,
      amount_raw: `${act.amount}`,
      asset: ADDRESS.usdce,
      asset_symbol: 'USDC.e',
      ramp: isDeposit ? 'CollateralOnramp' : 'CollateralOfframp',
      source_event: isDeposit ? 'Wrapped' : 'Transfer+Unwrapped',
      recipient: isDeposit ? act.wallet.address : act.wallet.owner,
      transaction_hash: hash,
      block_number: block,
      block_timestamp: timeSec,
    },
  ]
}

const ACT_LISTS = {
  activity: walletActivity,
  splits: walletSplits,
  merges: walletMerges,
  nrc: walletConversions,
}

testLists(openBusyWorld, [
  ...Object.entries(ACT_LISTS).map(([name, list]) => ({
    list,
    path: () => `/v3/wallets/${BUSY_WALLET}/${name}`,
    paged: [{}, { order: 'asc' }],
    unpaged: [],
  })),
  {
    list: walletFlows,
    path: () => `/v3/wallets/${BUSY_WALLET}/polyusd-flows`,
    paged: [{}, { order: 'asc' }, { kind: 'withdrawal' }],
    unpaged: [],
  },
])
