import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../test/api-world.js'
import {
  expectedTotals,
  groupOf,
  readWalletModel,
  sumOf,
  UNKNOWN_WALLET,
  type WalletModel,
} from '../../test/wallet-model.js'
import { toDecimal } from '../core/money.js'

let world: ApiWorld
let model: WalletModel
beforeAll(async () => {
  world = await openApiWorld()
  model = await readWalletModel(world)
})
afterAll(() => world.close())

const ask = async (path: string, query: object = {}) => {
  const reply = await world.get(path, { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  const { elapsed_ms: elapsedMs, ...body } = reply.json()
  expect(elapsedMs).toBeGreaterThanOrEqual(0)
  return body
}

const post = (body: object) =>
  world.app.inject({
    method: 'POST',
    url: '/v3/wallets/batch',
    headers: { 'x-api-key': world.key },
    payload: body,
  })

describe('POST /v3/wallets/batch', () => {
  test('200: the totals of every wallet are the sums over its positions and its steps', async () => {
    const ofMarkets = model.positions.filter(({ isCombo }) => isCombo === 0)
    const byWallet = groupOf(ofMarkets, ({ wallet }) => wallet)
    const ownSteps = groupOf(model.steps, ({ wallet }) => wallet)
    const all = [...model.addresses]
    expect(all.length).toBeGreaterThan(200)
    for (let at = 0; at < all.length; at += 100) {
      const batch = all.slice(at, at + 100)
      const reply = await post({ wallets: batch.map(([, address]) => address) })
      expect(reply.json()).toEqual({
        count: batch.length,
        elapsed_ms: expect.any(Number),
        wallets: batch.map(([id, address]) => ({
          wallet: address,
          ...expectedTotals(byWallet.get(id) ?? []),
        })),
      })
      for (const [index, [id]] of batch.entries()) {
        const realized = toDecimal(sumOf((ownSteps.get(id) ?? []).map(({ amount }) => amount)))
        expect(reply.json().wallets[index].net_realized_pnl).toBe(realized)
      }
    }
  })

  test('200: keeps the order, answers an address once, and knows capitals', async () => {
    const [first = 0, second = 0] = model.busy
    const capitals = `0x${model.addressOf(first).slice(2).toUpperCase()}`
    const wallets = [
      UNKNOWN_WALLET,
      model.addressOf(second),
      capitals,
      model.addressOf(second),
      model.addressOf(first),
    ]
    const { wallets: rows, count } = (await post({ wallets })).json()
    expect(count).toBe(3)
    expect(rows.map((row: { wallet: string }) => row.wallet)).toEqual([
      UNKNOWN_WALLET,
      model.addressOf(second),
      model.addressOf(first),
    ])
    expect(rows[0]).toMatchObject({ total_pnl: 0, position_count: 0 })
  })

  test('200: takes 100 wallets', async () => {
    const wallets = Array.from({ length: 100 }, (_, index) => `0x${`${index}`.padStart(40, '0')}`)
    expect((await post({ wallets })).json()).toMatchObject({ count: 100 })
  })

  test.each([
    ['101 wallets', { wallets: Array.from({ length: 101 }, () => UNKNOWN_WALLET) }, 'wallets'],
    ['no wallet', { wallets: [] }, 'wallets'],
    ['no list', {}, 'wallets'],
    ['a text', { wallets: UNKNOWN_WALLET }, 'wallets'],
    ['a short address', { wallets: [UNKNOWN_WALLET, '0x12'] }, 'wallets.1'],
    ['a number', { wallets: [7] }, 'wallets.0'],
    ['a null', { wallets: [null] }, 'wallets.0'],
  ])('400: %s', async (_what, body, name) => {
    const reply = await post(body)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })
})

describe('GET /v3/wallets/{address}', () => {
  test('200: has the totals of the wallet, and nothing else unless the request wants it', async () => {
    for (const wallet of model.busy.slice(0, 20)) {
      const own = model.positions.filter((row) => row.wallet === wallet && row.isCombo === 0)
      const address = model.addressOf(wallet)
      expect(await ask(`/v3/wallets/${address}`)).toEqual({ address, ...expectedTotals(own) })
    }
  })

  test('200: an unknown wallet has zeros', async () => {
    expect(await ask(`/v3/wallets/${UNKNOWN_WALLET}`)).toEqual({
      address: UNKNOWN_WALLET,
      ...expectedTotals([]),
    })
  })

  test('200: `include_combos` adds combos to all totals', async () => {
    const traders = new Set(
      model.positions.filter(({ isCombo, bought }) => isCombo === 1 && bought > 0n).map((p) => p.wallet),
    )
    expect(traders.size).toBeGreaterThan(0)
    for (const wallet of traders) {
      const own = model.positions.filter((row) => row.wallet === wallet)
      const all = expectedTotals(own)
      const ofCombos = expectedTotals(own.filter(({ isCombo }) => isCombo === 1))
      expect(await ask(`/v3/wallets/${model.addressOf(wallet)}`, { include_combos: true })).toEqual({
        address: model.addressOf(wallet),
        ...all,
        include_combos: true,
        included_position_types: ['market', 'combo'],
        realized_pnl: all.net_realized_pnl,
        combo_pnl: {
          position_type: 'combo',
          included: true,
          realized_pnl: ofCombos.net_realized_pnl,
          unrealized_pnl: ofCombos.unrealized_pnl,
          total_pnl: ofCombos.total_pnl,
          position_count: ofCombos.position_count,
          open_positions: ofCombos.open_positions,
        },
      })
    }
  })

  test('200: `include_combos` without combos adds zeros', async () => {
    expect(await ask(`/v3/wallets/${UNKNOWN_WALLET}`, { include_combos: true })).toMatchObject({
      combo_pnl: { included: true, total_pnl: 0, position_count: 0 },
    })
  })

  test('200: `include_accounting_summary` has the fees of the wallet, from its fills', async () => {
    const payers = world.fills.filter(({ fee, isCombo }) => fee > 0n && !isCombo)
    expect(payers.length).toBeGreaterThan(0)
    for (const maker of [...new Set(payers.map((fill) => fill.maker))].slice(0, 20)) {
      const own = world.fills.filter((fill) => fill.maker === maker && !fill.isCombo)
      const paid = own.filter(({ fee }) => fee > 0n)
      const fees = sumOf(own.map(({ fee }) => fee))
      const query = { include_accounting_summary: true }
      const { accounting_summary: summary } = await ask(`/v3/wallets/${maker}`, query)
      const notLoaded = { available: false, loaded: false, status: 'not_loaded', amount: null, raw: null }
      expect(summary).toEqual({
        available: true,
        loaded: true,
        has_order_filled_rows: true,
        source: 'wallet_totals',
        fees_paid: {
          available: true,
          loaded: true,
          amount: toDecimal(fees),
          raw: `${fees}`,
          fee_fill_count: paid.length,
          order_owner_fill_count: own.length,
          first_fee_block: `${paid[0]?.block}`,
          last_fee_block: `${paid.at(-1)?.block}`,
        },
        maker_rebates: notLoaded,
        rewards: notLoaded,
        order_filled_through_block: `${await headBlock()}`,
        projector_status: 'ready',
      })
    }
  })

  test('200: the accounting of an unknown wallet is empty, not absent', async () => {
    const query = { include_accounting_summary: true }
    expect(await ask(`/v3/wallets/${UNKNOWN_WALLET}`, query)).toMatchObject({
      accounting_summary: {
        available: false,
        has_order_filled_rows: false,
        fees_paid: { available: false, amount: 0, first_fee_block: null },
      },
    })
  })

  test.each(['0x12', '12', `0x${'g'.repeat(40)}`])('400: the address %s', async (address) => {
    const reply = await world.get(`/v3/wallets/${address}`)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain('address')
  })

  test.each(['include_combos', 'include_accounting_summary'])('400: %s=yes', async (name) => {
    const reply = await world.get(`/v3/wallets/${UNKNOWN_WALLET}`, { [name]: 'yes' })
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })
})

const headBlock = async (): Promise<number> => {
  const [row] = await world.ctx.sql<{ block: number }[]>`select block from chain_state`
  return row?.block ?? 0
}
