import fc from 'fast-check'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSearxngHost } from '../../../sim/searxng/host.js'
import { readSearch } from '../../../sim/searxng/parameters.js'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { systemClock } from '../../core/clock.js'
import { createUpstreamMetrics, type UpstreamMetrics } from '../transport/metrics.js'
import { SearxngClient, toPlainWords } from './client.js'

const START_MS = Date.UTC(2026, 10, 12)
const SHORT_MS = 300

const universe = new Universe({ seed: 9, startMs: START_MS })
const faults = new Faults()
let host: Host
let metrics: UpstreamMetrics
let client: SearxngClient

beforeAll(async () => {
  universe.advance(START_MS + 60_000)
  host = await openHost('searxng', faults, createSearxngHost(universe, faults))
})
afterAll(() => host.close())
beforeEach(() => {
  metrics = createUpstreamMetrics(new Registry())
  client = new SearxngClient({ url: host.url, metrics, clock: systemClock, timeoutMs: SHORT_MS })
})
afterEach(() => client.close())

const search = (q = 'news') =>
  client.search({ q, engines: ['bing'], language: 'en-US', timeRange: 'year', safeSearch: 1 })

test('results of the requested engines', async () => {
  const { results, unresponsive } = await search()
  expect(results[0]).toMatchObject({ engines: ['bing'], score: 1 })
  expect(unresponsive).toEqual([])
})

test.each(['429', '500', 'garbage', 'truncated', 'drop', 'half-open', 'slow'] as const)(
  '%s: fails after one try, and answers again afterwards',
  async (mode) => {
    faults.set({ upstream: 'searxng', mode, delayMs: SHORT_MS * 2 })
    await expect(search()).rejects.toMatchObject({ name: 'UpstreamError', upstream: 'searxng' })
    const { values } = await metrics.requests.get()
    expect(values.map(({ value }) => value)).toEqual([1])
    faults.set({ upstream: 'searxng', mode: 'off' })
    if (mode !== '429') expect((await search()).results.length).toBeGreaterThan(0)
  },
)

test('an instance without the format says what to change', async () => {
  faults.set({ upstream: 'searxng', mode: 'format-off' })
  await expect(search()).rejects.toThrow('add json to search.formats')
  faults.set({ upstream: 'searxng', mode: 'off' })
})

test('plain words give no commands to the instance', () => {
  const word = fc.oneof(
    fc.constantFrom('!bing', '!!w', '!!', ':fr', '<3', '?', '!', 'a!b', '!!!bing', '!:<bing'),
    fc.constantFrom('\ufeff!!w', '\u200b!bing', '!\u200b!w', '\u2060', '\u3164:fr', '\u00ad<3'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      const q = toPlainWords(words.join(' '))
      expect(q).toBe(toPlainWords(q))
      expect(q).not.toMatch(/(^|\s)\p{Cf}*[!:<?]/u)
      if (q === '') return
      const search = readSearch(new URLSearchParams({ q, engines: 'brave' }))
      expect(search).toMatchObject({ engines: ['brave'], redirect: undefined })
      expect(search.query.length).toBeGreaterThan(0)
    }),
  )
})
