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

type Fields = { readonly [field: string]: unknown }

/** Reads what it can: frames that make no sense become `unknown`. */
export function parseLiveV2Request(text: string): LiveV2Request {
  const frame = parseObject(text)
  const rid = typeof frame.rid === 'string' ? frame.rid : undefined
  return { rid, body: parseBody(frame) }
}

function parseBody(frame: Fields): LiveV2Request['body'] {
  const { op } = frame
  switch (op) {
    case 'auth':
      return { op, auth: asObject(frame.auth) }
    case 'ping':
      return { op }
    case 'subscribe':
    case 'unsubscribe': {
      const listed: unknown[] = Array.isArray(frame.subscriptions) ? frame.subscriptions : [frame]
      const entries = listed.map(asObject).map(({ channel, filter }) => ({
        channel: typeof channel === 'string' ? channel : '',
        filter: asObject(filter),
      }))
      return { op, entries }
    }
    default:
      return { op: 'unknown' }
  }
}

function parseObject(text: string): Fields {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return {}
  }
}

const asObject = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
