const CATALOGUE = 'a copy of what the platform says of markets; the chain decides none of it'
const SNAPSHOT =
  'without a market it is a snapshot that does not say which block it knows; with one it is compared'

const COUNTED =
  'sums of a job over rows that are compared; the reference of its own tests is made from the facts'
const RECORDED = 'what the exchange said of its books, of which the chain knows nothing'
const NAMES = 'what the platform says of the owners of wallets'

/** Paths of `/v3` that answer with data and are not compared with the model, with the reason. */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  '/v3/combos/activity/daily': COUNTED,
  '/v3/combos/redemptions': 'the same events as those of /v3/combos/activity, with more said about each',
  '/v3/events': CATALOGUE,
  '/v3/events/stats': SNAPSHOT,
  '/v3/events/{slug}/trades/all': 'the same rows as those of a market, chosen by the catalogue',
  '/v3/fees': 'the same facts as the fees of trades, by who received them',
  '/v3/fees/{receiver}': 'the same facts as the fees of trades, by who received them',
  '/v3/identities/search': NAMES,
  '/v3/identities/{address}': NAMES,
  '/v3/markets': CATALOGUE,
  '/v3/markets/condition/{condition_id}': CATALOGUE,
  '/v3/markets/condition/{condition_id}/book': RECORDED,
  '/v3/markets/condition/{condition_id}/book/depth': RECORDED,
  '/v3/markets/condition/{condition_id}/book/history': RECORDED,
  '/v3/markets/condition/{condition_id}/trades/all': 'the same rows as those of its tokens',
  '/v3/markets/search': CATALOGUE,
  '/v3/markets/slug/{slug}': CATALOGUE,
  '/v3/markets/slug/{slug}/book': RECORDED,
  '/v3/markets/slug/{slug}/book/depth': RECORDED,
  '/v3/markets/slug/{slug}/book/history': RECORDED,
  '/v3/markets/slug/{slug}/rules': CATALOGUE,
  '/v3/markets/slug/{slug}/trades/all': 'the same rows as those of its tokens',
  '/v3/markets/{token_id}/book': RECORDED,
  '/v3/markets/{token_id}/book/depth': RECORDED,
  '/v3/markets/{token_id}/book/history': RECORDED,
  '/v3/markets/{token_id}/price': 'order books decide it; what a result decides is compared on positions',
  '/v3/polymarket/profiles/username-available': NAMES,
  '/v3/polymarket/profiles/{eoa}': NAMES,
  '/v3/rewards/markets': 'what the platform pays',
  '/v3/rewards/markets/{condition_id}': 'what the platform pays',
  '/v3/search': CATALOGUE,
  '/v3/stats': COUNTED,
  '/v3/tags': CATALOGUE,
  '/v3/tags/{slug}': CATALOGUE,
  '/v3/tags/{slug}/trades/all': 'the same rows as those of a market, chosen by the catalogue',
  '/v3/tokens/{token_id}': 'the catalogue and order books decide it',
  '/v3/wallets/{address}/combos/redemptions':
    'the same events as those of the activity in combos, with more said about each',
  '/v3/wallets/{address}/rebates': 'what the platform pays',
  '/v3/webhooks': 'webhooks are compared by what receivers got',
  '/v3/webhooks/event-types': 'webhooks are compared by what receivers got',
  '/v3/webhooks/{id}': 'webhooks are compared by what receivers got',
  '/v3/webhooks/{id}/deliveries': 'webhooks are compared by what receivers got',
  '/v3/webhooks/{id}/deliveries/{event_id}': 'webhooks are compared by what receivers got',
}
