import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { createTestApp } from '../../../test/test-app.js'
import { until } from '../../../test/until.js'
import { findRecordedToken, readBookAt } from '../../books/recording/read-recorded.js'
import { openRecording } from '../../books/recording/test-recording.js'
import { createExchange } from '../../books/test-exchange.js'
import { BookFeed } from '../books/book-feed.js'
import { BookProtocol } from '../books/book-protocol.js'
import { BookReader } from '../books/test-book-reader.js'
import { RecordingConnection } from '../test-connection.js'
import { ReplayProtocol, ReplayReads } from './replay-protocol.js'

const SECONDS = 40
const NO_WINDOW_MS = 2 ** 31 - 1

/** Books of an exchange that were recorded, and what a live client got of them. */
async function openWorld(context: TestContext) {
  const t = await createTestApp({ routes: [] })
  onTestFinished(() => t.close())
  await t.ctx.sql`update catalogue_state set phase = 'done'`
  const exchange = createExchange({ intensity: 10 })
  const tokens = exchange.tokens.slice(0, 4)
  const recording = await openRecording(context, { exchange, tokens, sql: t.ctx.sql })
  const { clock, books, tokenIds } = recording
  const deps = { ...t.ctx, books, clock }
  const feed = new BookFeed(deps, { windowMs: NO_WINDOW_MS })
  onTestFinished(() => feed.close())
  const live = new RecordingConnection()
  const protocol = new BookProtocol(deps, live, feed, { integrity: false, nextSubscriptionId: () => 'x:1' })
  const subscribe = { action: 'subscribe', type: 'orderbook', markets: tokenIds }
  await recording.pass(1)
  await protocol.handle(subscribe)
  await until(() => live.messages.some(({ type }) => type === 'snapshots_done'))
  const fromMs = exchange.universe.nowMs + 1
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await recording.pass(1)
      feed.flush()
    }
  }
  const replay = ({ speed = Number.POSITIVE_INFINITY, isPaused = false } = {}) => {
    const connection = new RecordingConnection()
    const range = { fromMs, toMs: exchange.universe.nowMs, speed, isPaused }
    const options = { range, isBySubscription: false, reads: new ReplayReads() }
    const replayed = new ReplayProtocol(t.ctx, connection, options)
    onTestFinished(() => replayed.onClose())
    const say = (message: object) => replayed.onMessage(JSON.stringify(message))
    const ended = () => until(() => connection.closed !== undefined)
    return { connection, say, ended, reader: new BookReader(connection) }
  }
  return { t, exchange, recording, live, subscribe, fromMs, pass, replay }
}

/** The updates of all batches, without the times at which these were sent. */
const updatesOf = ({ messages }: RecordingConnection) =>
  messages.filter(({ type }) => type === 'batch').map(({ updates }) => updates)

test('books are sent as live clients were sent them: the same batches of the same updates', async (context) => {
  const { exchange, recording, live, subscribe, pass, replay } = await openWorld(context)
  await pass(SECONDS)
  exchange.universe.advance(exchange.universe.nowMs + 1_000)
  await recording.untilWritten()
  const { connection, say, ended, reader } = replay()
  await say(subscribe)
  await ended()
  expect(updatesOf(connection)).toEqual(updatesOf(live))
  expect(updatesOf(live).length).toBeGreaterThan(SECONDS / 2)
  const before = connection.messages.findIndex(({ type }) => type === 'snapshots_done')
  expect(connection.messages.findIndex(({ type }) => type === 'batch')).toBeGreaterThan(before)
  expect(connection.messages.at(-1)).toMatchObject({
    type: 'replay_end',
    by_type: { orderbook: updatesOf(live).length },
  })
  reader.read()
  expect(reader.problems.filter((text) => !text.includes('replay_'))).toEqual([])
})

test('after a seek the books are those of that time, and a gap of the record is reported as stale', async (context) => {
  const { t, exchange, recording, subscribe, fromMs, pass, replay } = await openWorld(context)
  await pass(10)
  exchange.universe.advance(exchange.universe.nowMs + 1_000)
  await recording.untilWritten()
  await recording.stop()
  exchange.universe.advance(exchange.universe.nowMs + 20_000)
  recording.start()
  await until(() => recording.recorder.tokens === recording.tokens.length)
  await recording.pass(5)
  exchange.universe.advance(exchange.universe.nowMs + 1_000)
  await recording.untilWritten()
  const { connection, say, ended, reader } = replay({ isPaused: true })
  await say(subscribe)
  const atMs = fromMs + 6_000
  await say({ action: 'seek', to: atMs })
  await say({ action: 'resume' })
  await ended()
  const named = (isStale: boolean) =>
    connection.messages
      .filter(({ type, stale }) => type === 'stale' && stale === isStale)
      .flatMap(({ markets }) => markets as string[])
      .toSorted()
  expect(connection.messages).toContainEqual(expect.objectContaining({ reason: 'not_recorded' }))
  expect(named(true)).toEqual(recording.tokenIds.toSorted())
  expect(named(false)).toEqual(named(true))
  for (const tokenId of recording.tokenIds) {
    const token = await findRecordedToken(t.ctx.sql, tokenId)
    const book = token && (await readBookAt(t.ctx.sql, token, exchange.universe.nowMs - 1))
    expect(reader.levels(tokenId)?.bids).toEqual(book?.bids.map(({ price, size }) => ({ price, size })))
  }
})

test('books are refused once the replay has begun', async (context) => {
  const { subscribe, pass, replay } = await openWorld(context)
  await pass(2)
  const { connection, say } = replay({ speed: 1 })
  await say({ action: 'subscribe', type: 'trades' })
  await say(subscribe)
  expect(connection.messages.find(({ type }) => type === 'error')).toMatchObject({
    code: 'invalid_message',
    message: expect.stringContaining('before the replay begins'),
  })
})
