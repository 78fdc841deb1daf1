import type { Static } from 'typebox'
import { presentStaleCopy } from '../http/stale-copy.js'
import type { ClobRebate } from '../upstreams/clob/parse.js'
import { type Rebates, sumRebates } from './rebates.js'
import type { RewardPage } from './reward-pages.js'
import type { RewardReply } from './schemas.js'

const REWARD_SEMANTICS =
  'What markets pay for resting orders, as the platform configures it; not what any wallet earned.'

const REBATE_SEMANTICS =
  "The part of takers' fees that the platform gave back to this maker for the fills of that day."

const HINT =
  'Rebates are kept by the key that signs orders. GET /v1/resolve/{address} names it as `eoa`: ask for that address.'

export const presentRewards = (source: string, { page, ...copy }: RewardPage) => ({
  source,
  reward_semantics: REWARD_SEMANTICS,
  data: page as Static<typeof RewardReply>['data'],
  ...presentStaleCopy(copy),
})

export const presentRebates = (address: string, date: string, { rows, refused }: Rebates) => ({
  address,
  date,
  rebates: rows.map(presentRebate),
  rows_returned: rows.length,
  total_rebated_fees_usdc: sumRebates(rows),
  source: 'polymarket_rebates',
  rebate_semantics: REBATE_SEMANTICS,
  ...(refused !== undefined && {
    provider_status: refused.status,
    provider_warning: { error: refused.said },
    hint: HINT,
  }),
})

const presentRebate = (row: ClobRebate) => ({
  date: row.date,
  condition_id: row.conditionId,
  asset_address: row.assetAddress,
  maker_address: row.makerAddress,
  rebated_fees_usdc: row.rebatedFeesUsdc,
})
