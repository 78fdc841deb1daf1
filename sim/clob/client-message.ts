import { isTextList, parseFields } from '../server/json.js'

/** What a client of the market socket can say. `undefined` leaves a setting as it is. */
export type ClientMessage =
  | { kind: 'ping' }
  | {
      kind: 'subscribe'
      assetIds: string[]
      custom: boolean | undefined
      level: number | undefined
      dump: boolean
    }
  | { kind: 'unsubscribe'; assetIds: string[] }

/** `undefined`: an unknown message, which the socket ignores. */
export function parseClientMessage(text: string): ClientMessage | undefined {
  if (text.trim() === 'PING') return { kind: 'ping' }
  const message = parseFields(text)
  if (message === undefined || !isTextList(message.assets_ids)) return undefined
  const assetIds = message.assets_ids
  if (message.operation === 'unsubscribe') return { kind: 'unsubscribe', assetIds }
  if (message.operation !== 'subscribe' && !isMarketType(message.type)) return undefined
  const { custom_feature_enabled: custom, level, initial_dump: dump } = message
  return {
    kind: 'subscribe',
    assetIds,
    custom: typeof custom === 'boolean' ? custom : undefined,
    level: level === 1 || level === 2 || level === 3 ? level : undefined,
    dump: dump !== false,
  }
}

const isMarketType = (type: unknown): boolean => typeof type === 'string' && type.toLowerCase() === 'market'
