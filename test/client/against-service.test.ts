import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { AuspexClient, type BookSet, type StreamEvent, type StreamGap } from 'auspex-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { chooseSamples } from '../../sim/samples.js'
import { counts } from '../counts.js'
import { expectSameBooks } from '../streams/book-checkpoint.js'
import { CHAIN_EVENTS, Recorder } from '../streams/recorder.js'
import { makeTrouble, openStreamWorld, type StreamWorld } from '../streams/stream-world.js'
import { StrictBook } from '../strict-client/strict-book.js'
import { until } from '../until.js'

const ROOT = resolve(import.meta.dirname, '../..')
const README = readFileSync(join(ROOT, 'client/README.md'), 'utf8')

const KILLS = counts({ short: 1, long: 3 })
/** Before and after each kill. */
const STRETCH_MS = counts({ short: 4_000, long: 100_000 })

let world: StreamWorld
let client: AuspexClient
let key: string
beforeAll(async () => {
  world = await openStreamWorld({ seed: 47 })
  key = await world.createCaller('growth')
  client = new AuspexClient({ baseUrl: world.urls[0] ?? '', apiKey: key })
})
afterAll(async () => {
  client.close()
  await world.close()
})

type Item = StreamEvent | StreamGap

/** Reads a stream to its end, and keeps everything. */
function keep(stream: AsyncIterable<Item>): Item[] {
  const items: Item[] = []
  void (async () => {
    for await (const item of stream) items.push(item)
  })()
  return items
}

const isGap = (item: Item): item is StreamGap => item.type === 'gap'
const isConfirmed = ({ data }: { data: object }): boolean =>
  (data as { status?: string }).status !== 'pending'
const eventsOf = (items: readonly Item[]) =>
  items.filter((item): item is StreamEvent => !isGap(item)).filter(isConfirmed)

/** The books of the client, in the form in which they are compared. */
const showBooks = (books: BookSet) => ({
  get books() {
    return new Map(
      [...books.tokenIds].map((tokenId) => {
        const book = books.get(tokenId)
        const shown = new StrictBook()
        for (const side of ['bids', 'asks'] as const) {
          for (const { price, size } of book?.[side] ?? []) shown[side].set(price, size)
        }
        shown.checksum = book?.hash ?? ''
        return [tokenId, shown]
      }),
    )
  },
})

test(
  `${KILLS} kills of the service while events flow: each event once, and books are right`,
  async () => {
    const { universe } = world
    const samples = chooseSamples(universe)
    const market = universe.catalogue.marketBySlug(samples.market_slug)
    const tokenIds = market?.tokens.map(({ decimal }) => decimal) ?? []
    const eventTypes = [...CHAIN_EVENTS] as ('trade' | 'reorg')[]
    const filters = { event_types: eventTypes, status: 'confirmed' as const }
    const confirmed = client.subscribe({ type: 'global', filters, snapshotCount: 0 })
    const all = client.subscribe({ type: 'global', filters: { event_types: eventTypes }, snapshotCount: 0 })
    const books = client.books(tokenIds)
    const statuses: string[] = []
    all.onStatus((status) => statuses.push(status))
    const items = { confirmed: keep(confirmed), all: keep(all) }
    await until(() => items.confirmed.length > 0 && items.all.length > 0)
    const startSeq = Math.max(...[items.confirmed[0], items.all[0]].map((item) => Number(Object(item).seq)))

    for (let kill = 1; kill <= KILLS; kill++) {
      await makeTrouble(world, { seed: kill, forMs: STRETCH_MS })
      await world.kill(0)
      await until(() => tokenIds.every((tokenId) => books.get(tokenId)?.isStale === true))
      await delay(1_000)
      await world.restart(0)
      await makeTrouble(world, { seed: KILLS + kill, forMs: STRETCH_MS })
    }
    await world.order({ upstream: '*', mode: 'off' })
    await until(() => tokenIds.every((tokenId) => books.get(tokenId)?.isStale === false))
    const { hash } = await world.freeze()

    const notices: string[] = []
    const undisturbed = new Recorder({ notices })
    await undisturbed.connect(`${world.urls[0]?.replace('http', 'ws')}/ws?key=${key}`, startSeq)
    await undisturbed.untilBlock(hash)
    const expected = undisturbed.messages.filter(isConfirmed)
    const lastSeq = expected.at(-1)?.seq ?? 0
    await undisturbed.close()
    expect(notices).toEqual([])
    expect(expected.length).toBeGreaterThan(30)
    for (const kept of [items.confirmed, items.all]) {
      await until(() => (eventsOf(kept).at(-1)?.seq ?? 0) >= lastSeq)
      const events = eventsOf(kept).filter(({ seq }) => seq > startSeq)
      expect(events.map(({ seq, type, data }) => ({ seq, type, data }))).toEqual(expected)
    }
    expect(items.confirmed.filter(isGap)).toEqual([])
    // Pending events of the moments before a kill are in no block yet, and lost with the process.
    expect(items.all.filter(isGap).map(({ missing }) => missing)).toEqual(Array(KILLS).fill('pending'))
    expect(statuses.filter((status) => status === 'open')).toHaveLength(KILLS + 1)
    await expectSameBooks(showBooks(books), universe)
  },
  KILLS * 2 * STRETCH_MS + 120_000,
)

test('rows are those of a walk by hand, each once: by cursor and by offset', async () => {
  await world.freeze()
  const get = async (path: string): Promise<Record<string, unknown>> => {
    const reply = await fetch(`${world.urls[0]}${path}`, { headers: { 'x-api-key': key } })
    return (await reply.json()) as Record<string, unknown>
  }
  const walked: unknown[] = []
  for (let cursor = ''; ; ) {
    const page = await get(`/v3/trades?limit=7&order=asc${cursor}`)
    walked.push(...(page.trades as unknown[]))
    if (page.next_cursor === null) break
    cursor = `&cursor=${page.next_cursor}`
  }
  const rows: unknown[] = []
  for await (const row of client.rows('/v3/trades', { query: { limit: 7, order: 'asc' } })) {
    rows.push(row)
  }
  expect(rows.length).toBeGreaterThan(20)
  expect(rows).toEqual(walked)

  // Orders page by offset, and their answers do not say whether there are more.
  const all = (await get('/v3/trades?group_by=order_hash&order=asc&limit=300')).trades as unknown[]
  const orders: unknown[] = []
  const query = { group_by: 'order_hash' as const, order: 'asc' as const, limit: 7 }
  for await (const order of client.rows('/v3/trades', { query })) orders.push(order)
  expect(orders.length).toBeGreaterThan(20)
  expect(orders.slice(0, all.length)).toEqual(all)
  expect(new Set(orders.map((order) => JSON.stringify(order))).size).toBe(orders.length)
})

test('a download is the list in another format', async () => {
  const stream = await client.download('/v3/trades', { query: { limit: 3 }, format: 'ndjson' })
  const lines = (await new Response(stream).text()).trimEnd().split('\n')
  const { trades } = await client.get('/v3/trades', { query: { limit: 3 } })
  expect(lines).toHaveLength(3)
  expect(Object.keys(JSON.parse(lines[0] ?? ''))).toEqual(Object.keys(Object(trades[0])))
})

test('the examples of the README compile and run', async () => {
  const examples = [...README.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code)
  expect(examples).toHaveLength(5)
  // Beside the packages of the repository, where a program finds the client.
  const folder = mkdtempSync(join(ROOT, 'dist/readme-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = examples.map((code, index) => {
    const file = join(folder, `${index}.mts`)
    writeFileSync(file, code)
    // They have no types of their own: the same text is JavaScript.
    writeFileSync(file.replace('mts', 'mjs'), code)
    return file
  })
  const flags = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    'node',
  ]
  const checked = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...flags, ...files], { encoding: 'utf8' })
  expect(checked.stdout).toBe('')
  const env = { ...process.env, AUSPEX_URL: world.urls[0], AUSPEX_KEY: key }
  // The last one is a server, which goes on.
  const runs = files.slice(0, -1).map(async (file) => {
    return (
      await promisify(execFile)(process.execPath, [file.replace('mts', 'mjs')], { env, timeout: 30_000 })
    ).stdout
  })
  const [requests, events, replayed, books] = await Promise.all(runs)
  expect(requests).toMatch(/^5 trades\n\d+ positions of 0x\w+\n400 .*token_id/)
  expect(events).toMatch(/^connecting \nopen \n(BUY|SELL) [\d.]+ at [\d.]+\n$/)
  expect(replayed).toMatch(/type: 'replay_end'/)
  expect(books).toMatch(/^\d+ bids and \d+ asks \w+\n$/)
})

test('a refusal of the service is told with its status, its text and the id of the request', async () => {
  const wrong = client.request('get', '/v3/trades', { query: { side: 'up' } })
  await expect(wrong).rejects.toMatchObject({
    name: 'AuspexError',
    status: 400,
    message: 'Invalid side. Allowed: buy, sell, 0, 1',
    requestId: expect.stringMatching(/./),
  })
})
