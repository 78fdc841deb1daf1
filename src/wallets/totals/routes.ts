import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { unavailable } from '../../core/errors.js'
import { toIsoTime } from '../../core/unix-time.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { IntegerText, UtcText } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import type { Sql } from '../../store/connection.js'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

const Stats = namedObject('ChainStats', {
  total_fills: Count('fills of orders, without combos'),
  total_redemptions: Count('redemptions by wallets or for them, combos included'),
  total_wallets: Count('wallets that traded or held a position'),
  total_positions: IntegerText('positions ever held'),
  total_realized_pnl: IntegerText('millionths of a dollar, as the three below'),
  total_gross_profit: IntegerText('of the positions that realized a profit'),
  total_gross_loss: IntegerText('of the positions that realized a loss, at most 0'),
  total_volume: IntegerText('shares ever bought: the sum of `total_volume` of all wallets'),
  as_of: UtcText({ description: 'ISO 8601' }),
  as_of_block: Count('the last block that counts'),
})

type TotalsRow = {
  headBlock: number | null
  headSec: number
  redemptions: bigint
  wallets: bigint
  fills: bigint
  positions: bigint
  realized: bigint
  profit: bigint
  loss: bigint
  bought: bigint
}

/** One row. */
const selectChainTotals = (sql: Sql) => sql<TotalsRow[]>`
  select head_block, head_sec, redemptions, wallets, fills, positions, realized, profit, loss, bought
    from chain_totals`

const chainStats = defineAnswer({
  path: '/v3/stats',
  operationId: 'getStats',
  summary: 'What all wallets add up to',
  description:
    'Sums over all wallets, markets and time, without combos where nothing else is said. They are made every five minutes.',
  tag: 'wallets',
  access: V3,
  reply: Stats,
  answer: async ({ sql }) => {
    const [row] = await selectChainTotals(sql)
    if (row?.headBlock == null) throw unavailable('The sums over all wallets are not made yet.')
    return {
      total_fills: Number(row.fills),
      total_redemptions: Number(row.redemptions),
      total_wallets: Number(row.wallets),
      total_positions: `${row.positions}`,
      total_realized_pnl: `${row.realized}`,
      total_gross_profit: `${row.profit}`,
      total_gross_loss: `${row.loss}`,
      total_volume: `${row.bought}`,
      as_of: toIsoTime(row.headSec),
      as_of_block: row.headBlock,
    }
  },
})

export const totalsRoutes = endpointRoutes([chainStats])
