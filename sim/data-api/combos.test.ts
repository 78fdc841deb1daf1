import { afterAll, beforeAll, expect, test } from 'vitest'
import { isBet } from '../markets/names.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { openTestWorld, type TestWorld } from './test-world.js'

let world: TestWorld
let universe: Universe
/** Those that ever bet on several outcomes at once. */
let bettors: Wallet[]

beforeAll(async () => {
  world = await openTestWorld(3)
  universe = world.universe
  const { settledActs, wallets } = universe
  bettors = wallets.filter((wallet) =>
    settledActs.ofWallet(wallet).some(({ tx: { act } }) => act.kind === 'match' && isBet(act.of)),
  )
})
afterAll(() => world.host.close())

type ComboRow = {
  combo_condition_id: string
  combo_position_id: string
  current_size: number
  realized_payout_usdc: number
  status: string
  redeemable: boolean
  updated_at: string
  legs: { leg_status: string }[]
}

const list = async (wallet: Wallet, query = ''): Promise<ComboRow[]> =>
  (await world.get<{ data: ComboRow[] }>(`/v2/positions/combos?user=${wallet.address}&limit=1000&${query}`))
    .data

test('sizes are those of the chain, and a result follows from the legs', async () => {
  const statuses = new Set<string>()
  for (const wallet of bettors) {
    for (const row of await list(wallet)) {
      const token = universe.catalogue.token(row.combo_position_id)
      const side = token ?? expect.fail('not a token')
      expect(row.current_size).toBe(universe.settledActs.balance(wallet, side) / 1e6)
      const hasLost = row.legs.some(({ leg_status }) => leg_status === 'RESOLVED_LOSS')
      if (row.status.startsWith('RESOLVED') && hasLost) {
        expect(row.status).toBe(side.outcome === 0 ? 'RESOLVED_LOSS' : 'RESOLVED_WIN')
      }
      statuses.add(row.status)
    }
  }
  expect([...statuses]).toEqual(expect.arrayContaining(['OPEN', 'RESOLVED_LOSS']))
})

test('filters by status, by condition and by time, and both versions list the same', async () => {
  for (const wallet of bettors.slice(0, 30)) {
    const all = await list(wallet)
    const open = await list(wallet, 'status=OPEN,PARTIAL')
    expect(open).toEqual(all.filter(({ status }) => status === 'OPEN' || status === 'PARTIAL'))
    const redeemable = await list(wallet, 'status=REDEEMABLE')
    expect(redeemable).toEqual(all.filter((row) => row.redeemable))
    const [first] = all
    const condition = first?.combo_condition_id
    expect(await list(wallet, `condition_id=${condition}01`)).toEqual(
      all.filter((row) => row.combo_condition_id === condition),
    )
    const sec = Date.parse(first?.updated_at ?? '') / 1000
    expect(await list(wallet, `updated_after=${sec}&updated_before=${sec}`)).toContainEqual(first)
    const older = await world.get<{ combos: ComboRow[] }>(
      `/v1/positions/combos?user=${wallet.address}&limit=1000`,
    )
    expect(older.combos.map((row) => row.combo_position_id)).toEqual(all.map((row) => row.combo_position_id))
  }
})

test('what was paid for a combo is in its activity', async () => {
  let paid = 0
  for (const wallet of bettors) {
    const { data } = await world.get<{
      data: { combo_position_id: string; payout_usdc: number }[]
    }>(`/v2/activity/combos?user=${wallet.address}&limit=1000`)
    for (const { combo_position_id, realized_payout_usdc } of await list(wallet)) {
      const rows = data.filter((row) => row.combo_position_id === combo_position_id)
      const sum = rows.reduce((total, { payout_usdc }) => total + payout_usdc, 0)
      expect(realized_payout_usdc).toBeCloseTo(sum, 6)
      paid += rows.length
    }
  }
  expect(paid).toBeGreaterThan(0)
})

test.each(['status=REDEEMABLE,OPEN', 'status=LOST', 'updated_after=5&updated_before=4', 'sort_by=NAME'])(
  '400: %s',
  async (query) => {
    const path = `/v2/positions/combos?user=0x${'1'.repeat(40)}&${query}`
    expect(await world.refusal(path)).toEqual({ status: 400, error: expect.any(String) })
  },
)
