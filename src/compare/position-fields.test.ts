import { expect, test } from 'vitest'
import type { DataPosition } from '../upstreams/data-api/parse.js'
import { compareFields, type OurPosition } from './position-fields.js'

const OURS: OurPosition = {
  balance: 12_500_000n,
  bought: 20_000_000n,
  average: 531_250n,
  realized: 1_250_000n,
  payout: undefined,
  isResultNew: false,
}
const THEIRS: DataPosition = {
  token: '0x07',
  status: 'OPEN',
  size: '12.5',
  bought: '20',
  averagePrice: '0.53125',
  price: '0.61',
  realizedPnl: '1.25',
  slug: undefined,
  outcome: undefined,
  firstEntrySec: undefined,
  lastEventSec: undefined,
}

/** The fields that differ when both sides are changed. */
const fieldsOf = (ours: Partial<OurPosition>, theirs: Partial<DataPosition>): string[] =>
  compareFields({ ...OURS, ...ours }, { ...THEIRS, ...theirs }).map(({ field }) => field)

const WON = { payout: 1_000_000n }
const DUST = { balance: 9_999n }

test.each<[string, Partial<OurPosition>, Partial<DataPosition>, string[]]>([
  ['the same', {}, {}, []],
  ['other digits of the same number', {}, { size: '12.500000', bought: '20.0' }, []],
  ['a millionth of a share', {}, { size: '12.500001' }, ['current_size']],
  ['a millionth of what was bought', {}, { bought: '19.999999' }, ['total_size']],
  ['an average that drifted', {}, { averagePrice: '0.53126' }, []],
  ['another average', {}, { averagePrice: '0.531261' }, ['avg_price']],
  ['a gain that drifted with it', {}, { realizedPnl: '1.24979' }, []],
  ['another gain', {}, { realizedPnl: '1.249789' }, ['realized_pnl']],
  ['another price of now', {}, { price: '0.11' }, []],
  ['a result', WON, { status: 'REDEEMABLE', price: '1' }, []],
  ['another result', WON, { status: 'REDEEMABLE', price: '0' }, ['current_price']],
  ['a result that the platform lacks', WON, { price: '1' }, ['status']],
  ['a result that is not booked', {}, { status: 'REDEEMABLE' }, ['status']],
  ['a result that came just now', { isResultNew: true }, { status: 'REDEEMABLE' }, []],
  ['one that the platform still lacks', { ...WON, isResultNew: true }, { price: '0.7' }, []],
  ['closed', { balance: 0n }, { status: 'CLOSED', size: '0' }, []],
  ['more went than came', { balance: -5n }, { status: 'CLOSED', size: '0' }, []],
  ['closed by one side', { balance: 0n }, { size: '0' }, ['status']],
  ['dust that counts', DUST, { size: '0.009999' }, []],
  ['dust that does not', DUST, { status: 'CLOSED', size: '0.009999' }, []],
  ['more than dust', { balance: 10_000n }, { status: 'CLOSED', size: '0.01' }, ['status']],
])('%s', (_what, ours, theirs, fields) => {
  expect(fieldsOf(ours, theirs)).toEqual(fields)
})

test('says by how much', () => {
  expect(compareFields(OURS, { ...THEIRS, size: '14' })).toEqual([
    { field: 'current_size', ours: '12.500000', theirs: '14.000000', by: '-1.500000' },
  ])
})
