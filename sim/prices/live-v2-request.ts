import { type Fields, isFields, parseFields } from '../server/json.js'

export type LiveV2Request = {
  rid: string | undefined
  body:
    | { op: 'auth'; auth: Fields }
    | { op: 'subscribe' | 'unsubscribe'; entries: Entry[] }
    | { op: 'ping' }
    | { op: 'unknown' }
}

/** The filter is read by the channel it is for. */
export type Entry = { channel: string; filter: Fields }

/** Reads what it can: frames that make no sense become `unknown`. */
export function parseLiveV2Request(text: string): LiveV2Request {
  const frame = parseFields(text) ?? {}
  const rid = typeof frame.rid === 'string' ? frame.rid : undefined
  return { rid, body: parseBody(frame) }
}

function parseBody(frame: Fields): LiveV2Request['body'] {
  const { op } = frame
  switch (op) {
    case 'auth':
      return { op, auth: asFields(frame.auth) }
    case 'ping':
      return { op }
    case 'subscribe':
    case 'unsubscribe': {
      const listed: unknown[] = Array.isArray(frame.subscriptions) ? frame.subscriptions : [frame]
      const entries = listed.map(asFields).map(({ channel, filter }) => ({
        channel: typeof channel === 'string' ? channel : '',
        filter: asFields(filter),
      }))
      return { op, entries }
    }
    default:
      return { op: 'unknown' }
  }
}

const asFields = (value: unknown): Fields => (isFields(value) ? value : {})
