import { Type } from 'typebox'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { Decimal, IntegerText, SecondsText, UtcText } from '../../http/row-fields.js'
import { namedEnum, namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { resolveWalletActs, WALLET_ACTS } from '../wallet-acts.js'
import { presentRedemption } from './present.js'
import { selectRedemptions } from './queries.js'

const Text = nullable(Type.String())

const Redemption = namedObject('WalletRedemption', {
  id: Type.String({ description: '`<transaction hash>_0x<log index>`' }),
  timestamp: SecondsText('Unix seconds of the block'),
  condition: Type.String(),
  condition_id: Type.String({ description: 'the same' }),
  payout: IntegerText('millionths'),
  payout_e6: IntegerText('the same'),
  payout_usdc: Decimal('dollars; 0: the shares had lost'),
  index_sets: nullable(Type.Array(Type.String()), '`1`: the first outcome was redeemed, `2`: the second'),
  market_title: Text,
  market_slug: Text,
  market_image: Text,
  event_title: Text,
  event_slug: Text,
  neg_risk: nullable(Type.Boolean(), 'null: a combo, or not known'),
  token_ids: nullable(Type.Array(Type.String()), 'by outcome'),
  outcomes: nullable(Type.Array(Type.String())),
  payouts: nullable(Type.Array(Type.Integer()), 'numerators by outcome; null: the result is not stored'),
  outcome_prices: nullable(Type.Array(Type.Number({ minimum: 0, maximum: 1 })), '4 decimals, by outcome'),
  winning_outcome_index: nullable(Type.Integer({ minimum: 0 }), 'null: several outcomes pay'),
  winning_outcome: Text,
  winning_token_id: Text,
  resolved_at: nullable(UtcText({ description: 'ISO 8601' })),
  transaction_hash: Type.String(),
  block_number: Type.Integer({ minimum: 0 }),
  log_index: Type.Integer({ minimum: 0 }),
  redemption_source: namedEnum('RedemptionSource', [
    'direct_ctf',
    'direct_neg_risk',
    'direct_other',
    'auto_binary',
    'auto_neg_risk',
    'auto_combo',
  ]),
  source_event: Type.String({ description: 'the name of the log' }),
})

export const walletRedemptions = defineList({
  ...WALLET_ACTS,
  path: '/v3/wallets/:address/redemptions',
  operationId: 'listWalletRedemptions',
  summary: 'Redemptions of a wallet',
  description:
    'Tokens of resolved markets and combos that became money, by the wallet itself or by the AutoRedeemer for it, newest first, with the market and its result.',
  view: createView({
    row: Redemption,
    select: selectRedemptions,
    keyOf: ({ seq }) => [seq],
    present: presentRedemption,
  }),
  resolve: (sql, input, { until }) => resolveWalletActs(sql, input, until),
  extra: {
    fields: {
      next_offset: nullable(
        Type.Integer({ minimum: 1 }),
        'null on the last page, and on pages after a cursor',
      ),
      order: Type.String({ enum: ['asc', 'desc'], description: 'as applied' }),
      source: Type.Literal('wallet_redemptions'),
    },
    select: (_sql, { input: { order = 'desc' }, page: { offset, limit, hasMore } }) => ({
      next_offset: hasMore && offset !== undefined ? offset + limit : null,
      order,
      source: 'wallet_redemptions',
    }),
  },
})

export const redemptionRoutes = endpointRoutes([walletRedemptions])
