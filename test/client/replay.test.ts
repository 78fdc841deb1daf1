import { AuspexClient, AuspexError, type ReplayOptions, type StreamEvent } from 'auspex-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { recordTrades } from '../../src/replay/test-record.js'
import { listenSockets } from '../socket-client.js'
import { createTestApp, type TestApp } from '../test-app.js'

const SECONDS = 12_000

let t: TestApp
let baseUrl: string
let startMs: number
beforeAll(async () => {
  t = await createTestApp({ routes: [] })
  baseUrl = (await listenSockets(t.app)).replace('ws', 'http')
  startMs = await recordTrades(t, SECONDS)
}, 120_000)
afterAll(() => t.close())

async function open({ from = startMs, to = startMs + SECONDS * 1_000, speed }: Partial<ReplayOptions> = {}) {
  const { key } = await t.createCaller('enterprise')
  const client = new AuspexClient({ baseUrl, apiKey: key })
  onTestFinished(() => client.close())
  return { client, replay: client.replay({ from, to, speed: speed ?? 'max' }) }
}

const secondOf = (event: StreamEvent | { type: 'gap' }) =>
  'data' in event ? (event.data as unknown as { second: number }).second : -1

/** What a bot does with the events of a client, live or of the past. */
async function countTrades(source: Pick<AuspexClient, 'subscribe'>): Promise<number> {
  let count = 0
  for await (const event of source.subscribe({ type: 'trades' })) if (event.type === 'trade') count++
  return count
}

test('the code that reads live events reads those of the past, and the loop ends with the range', async () => {
  const { replay } = await open({ to: startMs + 100_000 })
  expect(await countTrades(replay as unknown as AuspexClient)).toBe(100)
  expect(await replay.ended).toMatchObject({ events: 100, by_type: { trade: 100 } })
})

test('a reader that is slower than the service gets every event of every stream, in order', async () => {
  const { replay } = await open()
  const all = replay.subscribe({ type: 'trades' })
  const same = replay.subscribe({ type: 'markets' })
  const states: string[] = []
  replay.onState(({ state }) => states.push(state))
  await all.next()
  // The replay is held by the stream that is not read, also while the other one is.
  await expect.poll(() => states).toContain('paused')
  const seconds = [0]
  for await (const event of all) {
    seconds.push(secondOf(event))
    if (seconds.length % 100 === 0) for (let read = 0; read < 100; read++) await same.next()
  }
  expect(seconds).toEqual(Array.from({ length: SECONDS }, (_, second) => second))
})

test('seek goes to another time, and what was not read of before is dropped', async () => {
  const { replay } = await open({ speed: 100 })
  const stream = replay.subscribe({ type: 'trades' })
  expect(secondOf((await stream.next()).value as StreamEvent)).toBe(0)
  replay.seek(new Date(startMs + 5_000_000))
  expect(secondOf((await stream.next()).value as StreamEvent)).toBe(5_000)
  replay.close()
  expect(await replay.ended).toBeUndefined()
})

test('what the service refuses is thrown to the reader', async () => {
  const { client } = await open()
  const tooFast = client.replay({ from: startMs, to: startMs + 1_000, speed: 500 }).subscribe()
  await expect(tooFast.next()).rejects.toThrow(AuspexError)
  const unknown = client
    .replay({ from: startMs, to: startMs + 1_000 })
    .subscribe({ type: 'nothing' as 'trades' })
  await expect(unknown.next()).rejects.toThrow('unknown type')
})
