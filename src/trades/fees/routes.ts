import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { toTokenId } from '../../core/ids.js'
import { logIndexOf } from '../../core/seq.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { Address, Order, TimeBounds } from '../../http/parameters.js'
import { IntegerText, SecondsText } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { selectWalletId } from '../../lookups/ids.js'
import { selectSeqRange, sinceNamed } from '../../lookups/seq-range.js'
import { type EarnedFeeRow, selectEarnedFees } from './queries.js'

const feeFields = {
  amount: IntegerText('millionths of a dollar, or of the token in `token_id`'),
  token_id: nullable(
    Type.String(),
    'null: the fee is money; the first exchanges charge a purchase in its shares',
  ),
  transaction_hash: Type.String(),
}
const logFields = {
  id: Type.String({ description: '`<transaction hash>_<log index>`' }),
  timestamp: SecondsText('Unix seconds of the block'),
}

const EarnedFee = namedObject('EarnedFee', { ...logFields, receiver: Type.String(), ...feeFields })
const ReceiverFee = namedObject('ReceiverFee', { ...logFields, ...feeFields })

const presentReceiverFee = ({ seq, timeSec, txHash, amount, token }: EarnedFeeRow) => ({
  id: `${txHash}_${logIndexOf(seq)}`,
  timestamp: `${timeSec}`,
  amount: `${amount}`,
  token_id: token === null ? null : toTokenId(token),
  transaction_hash: txHash,
})

const presentEarnedFee = (row: EarnedFeeRow) => ({ ...presentReceiverFee(row), receiver: row.receiver })

/** What both lists share. */
const common = {
  tag: 'trades',
  access: V3,
  narrowBy: ['after', 'before'],
  query: Type.Object({ ...TimeBounds, order: Order }),
}
const keyOf = ({ seq }: EarnedFeeRow) => [seq]

export const earnedFees = defineList({
  ...common,
  path: '/v3/fees',
  operationId: 'listFees',
  summary: 'Trading fees',
  description:
    'Every fee that an exchange charged, with who got it, newest first. Refunds are not subtracted.',
  page: { name: 'data', limitMax: 300 },
  view: createView({ row: EarnedFee, select: selectEarnedFees, keyOf, present: presentEarnedFee }),
  resolve: async (sql, { order, ...times }, { until }) => {
    const range = await selectSeqRange(sql, times, until)
    return range === undefined ? undefined : { ...range, receiver: undefined, isAscending: order === 'asc' }
  },
})

export const receiverFees = defineList({
  ...common,
  path: '/v3/fees/:receiver',
  operationId: 'listReceiverFees',
  summary: 'Trading fees of a receiver',
  description: 'The fees that one address got, newest first. Refunds are not subtracted.',
  params: Type.Object({ receiver: Address }),
  page: { name: 'data', limitMax: 300 },
  view: createView({ row: ReceiverFee, select: selectEarnedFees, keyOf, present: presentReceiverFee }),
  resolve: async (sql, { receiver: address, order, ...times }, { until }) => {
    const range = await selectSeqRange(sql, times, until)
    const receiver = await selectWalletId(sql, address)
    if (range === undefined || receiver === undefined) return undefined
    const since = await sinceNamed(sql, range, { wallet: receiver })
    return { ...since, receiver, isAscending: order === 'asc' }
  },
})

export const feeRoutes = endpointRoutes([earnedFees, receiverFees])
