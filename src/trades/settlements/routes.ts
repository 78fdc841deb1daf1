import { Type } from 'typebox'
import { STANDARD } from '../../accounts/access.js'
import { toTokenId } from '../../core/ids.js'
import { toDecimal, toPrice } from '../../core/money.js'
import { blockOf, logIndexOf } from '../../core/seq.js'
import { presentTraded } from '../../events/settlement.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { Address, TokenId } from '../../http/parameters.js'
import { DecimalText, IntegerText, MillisecondsText } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import { selectWalletId } from '../../lookups/ids.js'
import { selectTokenIds } from '../../lookups/market-filter.js'
import { outcomeNameOf, type PlatformMarket, withPlatformMarkets } from '../../lookups/platform-market.js'
import { selectSeqRange, sinceNamed } from '../../lookups/seq-range.js'
import type { Sql } from '../../store/connection.js'
import { type SettledFill, type SettlementScope, selectSettlements } from './queries.js'

const Text = (description: string) => Type.String({ description })

/** Every field is a text, as clients of the stream of settlements keep them. */
const Settlement = namedObject('Settlement', {
  id: Text('`<transaction hash>_<log index>` of the order that took'),
  tx_hash: Type.String(),
  taker_side: Text('`BUY` or `SELL`'),
  taker_size: DecimalText('shares'),
  taker_price: DecimalText('dollars for a share, 4 decimals'),
  taker_wallet: Type.String(),
  taker_token: Type.String(),
  timestamp: MillisecondsText('Unix milliseconds of the block'),
  detected_at: MillisecondsText('the same: when a node showed it first is not kept'),
  status: Text('`confirmed`: pending ones are on the stream alone'),
  outcome: Text('of `taker_token`; empty when it is unknown, as the four below'),
  market_title: Type.String(),
  market_slug: Type.String(),
  market_image: Type.String(),
  event_title: Type.String(),
  block_number: IntegerText(),
  trades_json: Text('JSON: an array with a row for each order, as `trades` of a `settlement` of the stream'),
})

type Settled = { fills: readonly SettledFill[]; taker: SettledFill; token: number; listed: PlatformMarket }

/** An operator of the first exchanges could fill an order itself, without an order of its own. */
const mirror = (fill: SettledFill): SettledFill => ({
  ...fill,
  maker: fill.taker,
  isSell: !fill.isSell,
  isTakerOrder: true,
})

async function selectShown(
  sql: Sql,
  filter: Pick<SettlementScope, 'token' | 'wallet'>,
  count: number,
): Promise<Settled[]> {
  const range = await selectSeqRange(sql, {})
  if (range === undefined) return []
  const { token, wallet } = filter
  const since = await sinceNamed(sql, range, { wallet, tokens: token === undefined ? undefined : [token] })
  const matches = await selectSettlements(sql, { ...since, ...filter }, count)
  const settled = matches.map((fills) => {
    const taker = fills.find(({ isTakerOrder }) => isTakerOrder) ?? mirror(fills[0])
    return { fills, taker, token: taker.token }
  })
  return await withPlatformMarkets(sql, settled)
}

const presentFill = (fill: SettledFill, { maker: takerWallet }: SettledFill) => ({
  maker: fill.maker,
  signer: fill.maker,
  taker: fill.isTakerOrder ? fill.taker : takerWallet,
  token_id: toTokenId(fill.tokenId),
  ...presentTraded({ ...fill, side: sideOf(fill), isTaker: fill.isTakerOrder }),
  ...(fill.outcome !== null && { outcome: fill.outcome }),
  order_hash: fill.orderHash,
  ...(fill.generation > 1 && { exchange_version: `v${fill.generation}` }),
})

const sideOf = ({ isSell }: SettledFill) => (isSell ? ('SELL' as const) : ('BUY' as const))

function presentSettlement({ fills, taker, listed }: Settled) {
  const time = `${taker.timeSec}000`
  return {
    id: `${taker.txHash}_${logIndexOf(taker.seq)}`,
    tx_hash: taker.txHash,
    taker_side: sideOf(taker),
    taker_size: `${toDecimal(taker.shares)}`,
    taker_price: `${toPrice(taker.usd, taker.shares)}`,
    taker_wallet: taker.maker,
    taker_token: toTokenId(taker.tokenId),
    timestamp: time,
    detected_at: time,
    status: 'confirmed',
    outcome: outcomeNameOf(listed),
    market_title: listed.title ?? '',
    market_slug: listed.slug ?? '',
    market_image: listed.image ?? '',
    event_title: listed.eventTitle ?? '',
    block_number: `${blockOf(taker.seq)}`,
    trades_json: JSON.stringify(fills.map((fill) => presentFill(fill, taker))),
  }
}

const common = {
  tag: 'trades',
  access: { ...STANDARD, cost: 'page' },
  hasElapsed: false,
  query: Type.Object({
    count: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'matches in the answer' }),
  }),
} as const

const reply = {
  count: Type.Integer({ minimum: 0 }),
  settlements: Type.Array(Settlement),
}

const present = (settled: readonly Settled[]) => ({
  count: settled.length,
  settlements: settled.map(presentSettlement),
})

const recent = defineAnswer({
  ...common,
  path: '/v1/settlements/recent',
  operationId: 'listSettlements',
  summary: 'The newest settlements',
  description:
    'Matches of orders that are in a block, the newest first, without combos. Those that wait for their block come over the stream alone.',
  reply: namedObject('Settlements', reply),
  answer: async ({ sql }, { count }) => present(await selectShown(sql, {}, count)),
})

const ofToken = defineAnswer({
  ...common,
  path: '/v1/settlements/token/:token_id',
  operationId: 'listTokenSettlements',
  summary: 'The newest settlements of an outcome token',
  description: 'Matches in which an order traded the token, the newest first.',
  params: Type.Object({ token_id: TokenId }),
  reply: namedObject('TokenSettlements', { token_id: Type.String(), ...reply }),
  answer: async ({ sql }, { token_id, count }) => {
    const [token] = (await selectTokenIds(sql, { token_id })) ?? []
    return { token_id, ...present(token === undefined ? [] : await selectShown(sql, { token }, count)) }
  },
})

const ofWallet = defineAnswer({
  ...common,
  path: '/v1/settlements/wallet/:address',
  operationId: 'listWalletSettlements',
  summary: 'The newest settlements of a wallet',
  description: 'Matches with an order of the wallet, whether it took or rested, the newest first.',
  params: Type.Object({ address: Address }),
  reply: namedObject('WalletSettlements', { wallet: Type.String(), ...reply }),
  answer: async ({ sql }, { address, count }) => {
    const wallet = await selectWalletId(sql, address)
    return {
      wallet: address,
      ...present(wallet === undefined ? [] : await selectShown(sql, { wallet }, count)),
    }
  },
})

export const settlementRoutes = endpointRoutes([recent, ofToken, ofWallet])
