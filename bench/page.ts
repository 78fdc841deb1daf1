import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import type { DemoFile } from '../demo/demo-file.js'
import type { Bench, Figures, Rounds } from './lib/bench.js'
import { launchChromium } from './lib/chromium.js'
import { percentile } from './lib/compare.js'
import { askPart, startPart } from './lib/parts.js'
import { insertKeys, startDemo } from './lib/processes.js'
import { tidy, tidyLater } from './lib/tidy.js'
import type { Visit, Visited } from './page/visitors.js'

const FIRST_DATA_MS_MAX = 1_000
const FIRST_LOAD_BYTES_MAX = 200_000
const LOADS = 7

const PAGES = 500
const CORE_PART_MAX = 0.1
const MEASURED_MS = 30_000
const SETTLE_ROUNDS_MAX = 8
const SETTLED_DIFFERENCE = 0.02
/** What `web/src/home` asks for while it is open, and how often. */
const POLLS: Visit['polls'] = [
  { path: '/v1/status/overview', everyMs: 15_000 },
  { path: '/v1/crypto/active', everyMs: 15_000 },
  { path: '/v2/sports/live', everyMs: 60_000 },
  { path: '/v3/markets/stats?limit=1', everyMs: 60_000 },
  { path: '/v3/markets/stats?limit=10&sort=volume', everyMs: 60_000 },
  { path: '/v3/leaderboard?period=7d&limit=10', everyMs: 60_000 },
  { path: '/v1/session', everyMs: 60_000 },
]
const SUBSCRIBE = {
  type: 'large_trades',
  filters: { event_types: ['trade'], min_size: 500, snapshot_count: 0 },
}

export const page: Bench = {
  name: 'page',
  promise: `the home page shows its first data within ${FIRST_DATA_MS_MAX} ms of the navigation, in the demo`,
  ratioMin: 1,
  unit: 'first data a second',
  prepare: async () => ({ run, close: tidy }),
}

async function run(onRound: (text: string) => void): Promise<Rounds> {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'))
  tidyLater(async () => rmSync(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'data')
  onRound('the demo starts')
  const demo = await startDemo(dataDir)
  tidyLater(demo.stop)
  const file = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoFile
  const browser = await launchChromium()
  tidyLater(() => browser.close())
  const loads: Load[] = []
  for (let load = 0; load < LOADS; load++) {
    onRound(`load ${load + 1} of ${LOADS}`)
    loads.push(await loadHome(browser, file))
  }
  await browser.close()
  onRound(`${PAGES} open pages`)
  const times = loads.map(({ firstDataMs }) => firstDataMs)
  const [{ bytes, requests }] = loads as [Load]
  const figures: Figures = {
    'first data, ms (median)': Math.round(percentile(times, 0.5)),
    'first load, bytes': `${bytes}, at most ${FIRST_LOAD_BYTES_MAX}: ${bytes <= FIRST_LOAD_BYTES_MAX ? 'kept' : 'MISSED'}`,
    'first load, requests': requests,
    ...(await measureOpenPages(file, demo)),
  }
  return {
    ours: times.map((ms) => 1_000 / ms),
    yardstick: times.map(() => 1_000 / FIRST_DATA_MS_MAX),
    figures,
  }
}

/** `bytes`: of the page's own files, as they travel. */
type Load = { firstDataMs: number; bytes: number; requests: number }

/** With nothing in the cache of the browser. */
async function loadHome(browser: Browser, { url, keys }: DemoFile): Promise<Load> {
  const context = await browser.newContext({ baseURL: url, locale: 'en-US' })
  await context.request.post('/v1/session', { data: { api_key: keys.enterprise } })
  const opened = await context.newPage()
  let bytes = 0
  let requests = 0
  opened.on('requestfinished', async (request) => {
    requests++
    const { pathname } = new URL(request.url())
    if (pathname !== '/' && !pathname.startsWith('/assets/')) return
    const { responseBodySize, responseHeadersSize } = await request.sizes()
    bytes += responseBodySize + responseHeadersSize
  })
  const startedMs = performance.now()
  await opened.goto('/', { waitUntil: 'commit' })
  await opened.locator('tbody tr').first().waitFor()
  const firstDataMs = performance.now() - startedMs
  await opened.waitForLoadState('networkidle')
  await context.close()
  return { firstDataMs, bytes, requests }
}

/**
 * The time of the service while many pages are open, less that while none is, before and after: a demo that has just
 * started works on its boards and candles for a while.
 */
async function measureOpenPages(
  { url }: DemoFile,
  { pid, pool }: Awaited<ReturnType<typeof startDemo>>,
): Promise<Figures> {
  const port = Number(new URL(url).port)
  const keys = await insertKeys(pool, 50)
  const before = await settle(pid)
  const visitors = startPart('page/visitors')
  await askPart(visitors, { port, keys, pages: PAGES, polls: POLLS, subscribe: SUBSCRIBE } satisfies Visit)
  await wait(5_000)
  const busy = await measureCpu(pid)
  const { statuses, messages } = await askPart<Visited>(visitors, 'count')
  visitors.kill()
  await wait(5_000)
  const after = await measureCpu(pid)
  const part = busy - (before + after) / 2
  return {
    [`${PAGES} open pages`]: `${(part * 100).toFixed(1)} % of a core, at most ${CORE_PART_MAX * 100} %: ${part <= CORE_PART_MAX ? 'kept' : 'MISSED'}`,
    'without them, per cent of a core': `${(before * 100).toFixed(1)} before, ${(after * 100).toFixed(1)} after`,
    'answers to them': JSON.stringify(statuses),
    'messages to them': messages,
  }
}

/** Clock ticks of Linux a second. */
const TICKS = 100

/** Which part of a core a process uses when it has stopped using less and less. */
async function settle(pid: number): Promise<number> {
  let last = Number.POSITIVE_INFINITY
  for (let rounds = 0; rounds < SETTLE_ROUNDS_MAX; rounds++) {
    const part = await measureCpu(pid)
    if (part > last - SETTLED_DIFFERENCE) return (part + last) / 2
    last = part
  }
  return last
}

/** Which part of a core a process used for a while. */
async function measureCpu(pid: number): Promise<number> {
  const read = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  }
  const before = read()
  await wait(MEASURED_MS)
  return (read() - before) / (MEASURED_MS / 1_000)
}
