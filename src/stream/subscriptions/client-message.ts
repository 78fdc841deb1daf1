import { showValue } from '../../lib/show-value.js'
import { isRecord } from './filter-fields.js'
import { Refusal } from './refusal.js'

type Fields = Readonly<Record<string, unknown>>

/** What a client of the event socket says. */
export type ClientMessage =
  | { action: 'subscribe'; fields: Fields }
  /** `undefined`: all subscriptions. */
  | { action: 'unsubscribe'; subscriptionId: string | undefined }
  | { action: 'ping' }
  /** For orderbooks, whose protocol reads the fields. */
  | { action: 'books'; fields: Fields }

const ACTIONS = 'subscribe, unsubscribe, ping'

/** Throws a `Refusal`. */
export function parseClientMessage(text: string): ClientMessage {
  const fields = parseFields(text)
  const { action } = fields
  if (isOfBooks(fields)) return { action: 'books', fields }
  switch (action) {
    case 'subscribe':
      return { action, fields }
    case 'unsubscribe':
      return { action, subscriptionId: readSubscriptionId(fields.subscription_id) }
    case 'ping':
      return { action }
    default:
      throw new Refusal(
        'invalid_message',
        action === undefined
          ? `action is missing. Valid actions: ${ACTIONS}`
          : `unknown action ${showValue(action)}. Valid actions: ${ACTIONS}`,
      )
  }
}

function parseFields(text: string): Fields {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw new Refusal('invalid_json', 'the message is not JSON')
  }
  if (isRecord(message)) return message
  throw new Refusal('invalid_message', 'the message is not a JSON object')
}

/** On this socket too clients may follow books, with the messages of the other one. */
function isOfBooks({ action, type, markets, token_ids }: Fields): boolean {
  const namesBooks = Array.isArray(markets) || Array.isArray(token_ids)
  if (action === 'subscribe') return type === 'orderbook' || (type === undefined && namesBooks)
  return action === 'unsubscribe' ? type === 'orderbook' || namesBooks : action === 'resync'
}

function readSubscriptionId(id: unknown): string | undefined {
  if (id === undefined || id === null) return undefined
  if (typeof id === 'string') return id
  throw new Refusal('invalid_message', `subscription_id must be text, not ${showValue(id)}`)
}
