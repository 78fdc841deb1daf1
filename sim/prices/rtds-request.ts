export type RtdsRequest = {
  action: 'subscribe' | 'unsubscribe'
  subscriptions: { topic: string; type: string; filters: string }[]
}

const TOPICS = [
  'crypto_prices',
  'crypto_prices_chainlink',
  'crypto_prices_twap_thirty',
  'crypto_prices_twap_sixty',
  'equity_prices',
  'activity',
  'comments',
]

/** `undefined`: not a frame that the server takes. Absent filters are an empty text. */
export function parseRequest(text: string): RtdsRequest | undefined {
  const frame = parseObject(text)
  const action = frame?.action
  if (action !== 'subscribe' && action !== 'unsubscribe') return undefined
  if (!Array.isArray(frame?.subscriptions) || frame.subscriptions.length === 0) return undefined
  const subscriptions = frame.subscriptions.map(parseSubscription)
  if (!subscriptions.every((entry) => entry !== undefined)) return undefined
  const carriesFilters = subscriptions.some(({ filters }) => filters !== '')
  return action === 'unsubscribe' && carriesFilters ? undefined : { action, subscriptions }
}

/** Filters are texts, even where the text is JSON: an object or an array is refused. */
function parseSubscription(value: unknown): RtdsRequest['subscriptions'][number] | undefined {
  if (!isObject(value)) return undefined
  const { topic, type, filters = '' } = value
  if (typeof topic !== 'string' || !TOPICS.includes(topic)) return undefined
  return typeof type === 'string' && typeof filters === 'string'
    ? { topic, type, filters }
    : undefined
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

type Fields = { readonly [field: string]: unknown }

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
