import type { Redis as RedisClient } from 'ioredis'
import { withTimeout } from '../lib/timeout.js'
import { pause } from '../lib/timing.js'
import type { RedisConnection } from './connection.js'

/** How long one XREAD waits for new entries. */
const BLOCK_MS = 1_000
/** Beyond `BLOCK_MS`: a server that does not answer by then hangs. */
const LATE_MS = 500
const ENTRIES_MAX = 100
const RETRY_MS = 200

/** A stream that keeps about this many entries. */
export type CappedStream = { name: string; entriesMax: number }

/** `fields`: names and values, alternating. Never rejects: an entry that Redis refuses is lost, and readers notice the gap. */
export async function addEntry(
  redis: RedisConnection,
  { name, entriesMax }: CappedStream,
  fields: readonly (string | number)[],
): Promise<void> {
  if (redis.problem !== undefined) return
  const added = redis.call('xadd', (client) =>
    client.xadd(redis.keyOf(name), 'MAXLEN', '~', entriesMax, '*', ...fields),
  )
  await added.catch(() => undefined)
}

/** The fields of an entry by their names. */
export type StreamEntry = { readonly [field: string]: string | undefined }

type StreamFollower = {
  /** Of the stream, as `keyOf` makes it. */
  name: string
  /** All entries from now on will come: what was before has to be read elsewhere. Called after each loss too. */
  onOpen: () => Promise<void>
  onEntries: (entries: readonly StreamEntry[]) => Promise<void>
  /** Entries may be missing from now on, until `onOpen` is called again. */
  onLost?: () => void
}

/**
 * Reads what is added to a stream, on a connection of its own, until the signal aborts or the connection
 * fails. It is called again after that. Never rejects for want of Redis; what the callbacks throw it rejects with.
 */
export async function followStream(
  redis: RedisConnection,
  follower: StreamFollower,
  signal: AbortSignal,
): Promise<void> {
  if (!(await redis.untilReady(signal))) return
  const client = await redis.open().catch(() => undefined)
  if (client === undefined) return await pause(RETRY_MS, signal)
  const end = () => client.disconnect()
  signal.addEventListener('abort', end)
  // It may have aborted while the connection was opened.
  if (signal.aborted) end()
  try {
    await readEntries(client, redis.keyOf(follower.name), follower)
  } finally {
    signal.removeEventListener('abort', end)
    end()
    follower.onLost?.()
  }
}

async function readEntries(
  client: RedisClient,
  key: string,
  { onOpen, onEntries }: StreamFollower,
): Promise<void> {
  const newest = await answerOf(client.xrevrange(key, '+', '-', 'COUNT', 1))
  if (newest === undefined) return
  let lastId = newest[0]?.[0] ?? '0-0'
  await onOpen()
  for (;;) {
    const reading = client.xread('COUNT', ENTRIES_MAX, 'BLOCK', BLOCK_MS, 'STREAMS', key, lastId)
    const answer = await answerOf(reading)
    if (answer === undefined) return
    const entries = answer?.[0]?.[1] ?? []
    lastId = entries.at(-1)?.[0] ?? lastId
    if (entries.length > 0) await onEntries(entries.map(([, fields]) => toEntry(fields)))
  }
}

/** `undefined`: the connection is lost. */
const answerOf = <T>(answer: Promise<T>): Promise<T | undefined> =>
  withTimeout(answer, BLOCK_MS + LATE_MS, 'redis hangs').catch(() => undefined)

function toEntry(fields: readonly string[]): StreamEntry {
  const entry: Record<string, string> = {}
  for (let index = 0; index + 1 < fields.length; index += 2) {
    entry[fields[index] ?? ''] = fields[index + 1] ?? ''
  }
  return entry
}
