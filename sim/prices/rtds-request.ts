import { isFields, parseFields } from '../server/json.js'

export type RtdsRequest = {
  action: 'subscribe' | 'unsubscribe'
  subscriptions: { topic: string; type: string; filters: string }[]
}

const PRICE_TYPES = ['update', '*']

const TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['crypto_prices', PRICE_TYPES],
  ['crypto_prices_chainlink', PRICE_TYPES],
  ['crypto_prices_twap_thirty', PRICE_TYPES],
  ['crypto_prices_twap_sixty', PRICE_TYPES],
  ['equity_prices', PRICE_TYPES],
  ['activity', ['trades', 'orders_matched', '*']],
  ['comments', ['comment_created', 'comment_removed', 'reaction_created', 'reaction_removed', '*']],
])

/** `undefined`: not a frame that the server takes. Absent filters are an empty text. */
export function parseRequest(text: string): RtdsRequest | undefined {
  const { action, subscriptions: listed } = parseFields(text) ?? {}
  if (action !== 'subscribe' && action !== 'unsubscribe') return undefined
  if (!Array.isArray(listed) || listed.length === 0) return undefined
  const subscriptions = listed.map(parseSubscription)
  if (!subscriptions.every((entry) => entry !== undefined)) return undefined
  const carriesFilters = subscriptions.some(({ filters }) => filters !== '')
  return action === 'unsubscribe' && carriesFilters ? undefined : { action, subscriptions }
}

/** Filters are texts, even where the text is JSON: an object or an array is refused. */
function parseSubscription(value: unknown): RtdsRequest['subscriptions'][number] | undefined {
  if (!isFields(value)) return undefined
  const { topic, type, filters = '' } = value
  if (typeof topic !== 'string' || typeof type !== 'string') return undefined
  if (TYPES.get(topic)?.includes(type) !== true) return undefined
  return typeof filters === 'string' ? { topic, type, filters } : undefined
}
