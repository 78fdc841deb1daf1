import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ComboWorld, openComboWorld } from '../../../test/combo-world.js'
import { explainRequest, scansOf } from '../../../test/explained/explain-request.js'
import { hexToBytes } from '../../lib/hex.js'
import type { Pool } from '../../store/connection.js'

type Row = Record<string, unknown>

let world: ComboWorld
beforeAll(async () => {
  world = await openComboWorld()
  await compressToNothing()
}, 180_000)
afterAll(() => world.close())

/** A compression of the busiest combo that leaves nothing, which no wallet of the universe does. */
async function compressToNothing(): Promise<void> {
  const { sql } = world.ctx
  await sql`insert into tokens (id, since, token) values (-5, 0, decode(repeat('00', 32), 'hex'))`
  await sql`
    insert into combo_events (seq, amount, payout, wallet, contract, condition, kind, tokens, tx_hash)
    select seq + 1, 3000000, 2500000, wallet, contract, condition, kind, array[tokens[1], -5],
           decode(repeat('cd', 32), 'hex')
      from combo_events where kind = 'compressed' limit 1`
}

const ask = async (path: string, query: object = {}) => {
  const reply = await world.get(path, { limit: 300, ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}
const rowsOf = async (query: object = {}): Promise<Row[]> =>
  (await ask('/v3/combos/redemptions', query)).redemptions
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

describe('GET /v3/combos/redemptions', () => {
  test('200: has what wallets redeemed, newest first, with the fields of the activity', async () => {
    const { chain } = world.universe
    const expected: object[] = []
    for (let block = chain.firstNumber; chain.block(block) !== undefined; block++) {
      const { transactions = [], timestampSec = 0 } = chain.block(block) ?? {}
      for (const { act, hash } of transactions) {
        if (act.kind !== 'redeemCombo') continue
        const { token, amount, payouts, wallet } = act
        if (token.of.conditionId.charAt(3) !== '3') continue
        const paid = Math.floor((amount * payouts[token.outcome]) / (payouts[0] + payouts[1]))
        expected.unshift({
          tx_hash: hash,
          timestamp: timestampSec,
          wallet_address: wallet.address,
          combo_condition_id: token.of.conditionId,
          combo_position_id: token.decimal,
          combo_outcome_index: token.outcome,
          source_position_id: token.decimal,
          destination_position_id: null,
          amount_usdc: (amount / 1e6).toFixed(6),
          position_amount_usdc: (amount / 1e6).toFixed(6),
          collateral_out_usdc: (paid / 1e6).toFixed(6),
          has_collateral_payout: paid > 0,
          type: 'REDEEM',
          redemption_scope: 'full',
          redemption_evidence: 'terminal_position_redeemed',
        })
      }
    }
    expect(expected.length).toBeGreaterThan(20)
    const rows = await rowsOf({ event_kind: 'PositionRedeemed' })
    expect(rows).toMatchObject(expected)
    expect(rows.length).toBe(expected.length)
  })

  test('200: scope, type and kind select the rows that have them', async () => {
    const all = await rowsOf()
    const scopes = { full: 'FULL_COMBO', partial: 'PARTIAL_COMBO', transformation: 'COMBO_TRANSFORMATION' }
    for (const [scope, type] of Object.entries(scopes)) {
      const wanted = all.filter((row) => row.redemption_scope === scope)
      expect(wanted.length, scope).toBeGreaterThan(0)
      expect(await rowsOf({ redemption_scope: scope })).toEqual(wanted)
      expect(await rowsOf({ redemption_type: type })).toEqual(wanted)
      for (const kind of ['PositionRedeemed', 'Compressed', 'Extracted', 'Wrapped'])
        expect(idsOf(await rowsOf({ redemption_scope: scope, event_kind: kind }))).toEqual(
          idsOf(wanted.filter((row) => row.event_kind === kind)),
        )
    }
    expect(await rowsOf({ redemption_scope: 'full', redemption_type: 'PARTIAL_COMBO' })).toEqual([])
  })

  test('200: a compression is partial while a position is left, and full when none is', async () => {
    const [full, partial] = await rowsOf({ event_kind: 'Compressed' })
    expect(full).toMatchObject({
      redemption_scope: 'full',
      redemption_evidence: 'terminal_compression',
      is_terminal_redemption: true,
      destination_position_id: null,
      remaining_leg_count: 0,
      remaining_legs: [],
      collateral_out_usdc: '2.500000',
    })
    expect(full).not.toHaveProperty('remaining_combo')
    const legs = full?.legs as object[]
    expect(full).toMatchObject({ removed_legs: legs, leg_transition: `${legs.length}_to_0` })
    expect(partial).toMatchObject({
      redemption_scope: 'partial',
      redemption_evidence: 'post_resolution_compression',
      is_partial_combo_reduction: true,
      remaining_combo: { combo_position_id: partial?.destination_position_id },
    })
  })

  test('200: names of combos, positions, wallets and transactions narrow the list', async () => {
    const all = await rowsOf()
    const [row] = all.filter(({ event_kind }) => event_kind === 'PositionRedeemed')
    const same = (field: string) => all.filter((each) => each[field] === row?.[field])
    const condition = row?.combo_condition_id
    expect(await rowsOf({ condition_id: condition })).toEqual(same('combo_condition_id'))
    expect(await rowsOf({ wallet: row?.wallet_address })).toEqual(same('wallet_address'))
    expect(await rowsOf({ tx_hash: row?.tx_hash })).toEqual(same('tx_hash'))
    expect(await rowsOf({ tx_hash: `0x${'9'.repeat(64)}` })).toEqual([])
    const ofPosition = all.filter((each) =>
      [each.source_position_id, each.destination_position_id].includes(row?.combo_position_id),
    )
    expect(idsOf(await rowsOf({ position_id: row?.combo_position_id }))).toEqual(idsOf(ofPosition))

    const other = all.find((each) => each.combo_condition_id !== condition)?.combo_condition_id
    const both = all.filter((each) => [condition, other].includes(each.combo_condition_id))
    expect(await rowsOf({ market_id: `${condition}, ${other}` })).toEqual(both)
    expect(await rowsOf({ market_id: `${condition}`, condition_id: other })).toEqual([])
  })

  test.each([
    ['a condition that is none', { market_id: '0x12' }, 'market_id'],
    [
      '21 conditions',
      {
        market_id: Array(21)
          .fill(`0x${'3'.repeat(62)}`)
          .join(),
      },
      'market_id',
    ],
    ['a hash that is none', { tx_hash: '0x12' }, 'tx_hash'],
    ['a wallet that is none', { wallet: '0x12' }, 'wallet'],
    ['an unknown scope', { redemption_scope: 'half' }, 'redemption_scope'],
    ['an unknown kind', { event_kind: 'PositionsSplit' }, 'event_kind'],
  ])('400: %s', async (_what, query, field) => {
    const reply = await world.get('/v3/combos/redemptions', query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(field)
  })
})

test('GET /v3/wallets/{address}/combos/redemptions has the rows of the wallet', async () => {
  const { actor } = world.busiest
  const body = await ask(`/v3/wallets/${actor}/combos/redemptions`)
  expect(body).toMatchObject({
    position_type: 'combo',
    source: 'v3.wallet_combos.redemptions',
    address: actor,
  })
  expect(body.redemptions).toEqual(await rowsOf({ wallet: actor }))
  expect((await ask(`/v3/wallets/0x${'9'.repeat(40)}/combos/redemptions`)).redemptions).toEqual([])
})

describe('with a hundred thousand logs', () => {
  const LIMIT = 20
  /** Between those of combos are logs of other modules. */
  const ROWS_PER_ROW = 10

  beforeAll(async () => {
    const { sql } = world.ctx
    const contract = hexToBytes(`0x${'5'.repeat(40)}`)
    await sql`insert into wallets values (-9, ${contract}, 0)`
    // Those of another wallet, of combos without a name and of other transactions, below the history.
    await sql`
      insert into combo_events (seq, amount, payout, wallet, contract, condition, kind, tokens, tx_hash)
      select n, 1, 1, -9, -9, (select min(condition) from combos), 'positionRedeemed', array[-n],
             sha256(int4send(n))
        from generate_series(1, 100000) n`
    await sql`vacuum analyze combo_events`
  }, 60_000)

  test('a page reads a few rows for each that it shows, whatever the filter', async () => {
    const [row] = await rowsOf({ event_kind: 'PositionRedeemed', limit: 1 })
    const queries = [
      {},
      { event_kind: 'PositionRedeemed' },
      { redemption_scope: 'partial' },
      { wallet: row?.wallet_address },
      { condition_id: row?.combo_condition_id },
      { position_id: row?.combo_position_id },
      { tx_hash: row?.tx_hash },
    ]
    for (const query of queries) {
      const limited = { ...query, limit: LIMIT }
      const plans = await explainRequest(world, world.ctx.sql as Pool, '/v3/combos/redemptions', limited)
      const scans = plans.flatMap(scansOf).filter(({ relation }) => relation === 'combo_events')
      expect(scans.length).toBeGreaterThan(0)
      for (const { nodeType, rows } of scans) {
        expect(nodeType, JSON.stringify(query)).not.toBe('Seq Scan')
        expect(rows, JSON.stringify(query)).toBeLessThanOrEqual(ROWS_PER_ROW * (LIMIT + 1))
      }
    }
  })
})
