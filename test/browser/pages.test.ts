import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { launchChromium } from '../../bench/lib/chromium.js'
import type { DemoFile } from '../../demo/demo-file.js'
import { askDemo, type RunningDemo, startDemo } from '../demo-process.js'
import { mostCommonOf } from '../most-common.js'
import { createDataDir } from '../processes.js'
import { openReceiver, type Receiver } from '../webhooks/receiver.js'
import { WatchedPage } from './watched-page.js'

let folder: ReturnType<typeof createDataDir>
let running: RunningDemo
let demo: DemoFile
let browser: Browser
let context: BrowserContext
let opened: WatchedPage

beforeAll(async () => {
  folder = createDataDir()
  ;[browser, running] = await Promise.all([launchChromium(), startDemo(folder.dataDir, '--history', '10m')])
  demo = running.file
  context = await openContext()
  opened = await WatchedPage.open(context, demo.url)
})
afterAll(async () => {
  await browser?.close()
  await running?.stop()
  folder?.remove()
})

const ask = <Body>(path: string) => askDemo<Body>(demo, path)

/** A busy machine takes longer than the half minute that the library waits for what a page should show. */
const SHOWN_MS_MAX = 90_000

async function openContext(): Promise<BrowserContext> {
  const opening = await browser.newContext({ baseURL: demo.url, locale: 'en-US' })
  opening.setDefaultTimeout(SHOWN_MS_MAX)
  return opening
}

/** A second browser, apart from the one that the tests share. `key`: the page is signed in with it. */
async function openOther(key?: string): Promise<BrowserContext> {
  const other = await openContext()
  if (key !== undefined) await other.request.post('/v1/session', { data: { api_key: key } })
  return other
}

/**
 * The first trade of which a page tells that was opened at the begin. The busiest wallet of a demo trades about once
 * a minute, and sometimes not for three; one of four does within seconds.
 */
let toldOfTrade: Promise<string>
beforeAll(async () => {
  const { trades } = await ask<{ trades: { maker: string }[] }>('/v3/trades?limit=300')
  const makers = trades.map(({ maker }) => maker)
  const other = await openOther(demo.keys.enterprise)
  const toasts: Promise<string>[] = []
  for (const wallet of mostCommonOf(makers, 4)) {
    const page = await other.newPage()
    await page.goto(`/wallets/${wallet}`)
    await page.getByRole('button', { name: 'Follow' }).click()
    toasts.push(page.locator('.toast').first().innerText({ timeout: 180_000 }))
  }
  toldOfTrade = Promise.any(toasts)
  // A failure shows in the test that waits for it.
  toldOfTrade.catch(() => undefined).finally(() => other.close())
})

test('the link of the banner opens a page that is signed in', async () => {
  const link = /http:\S+\/sign-in\?code=\S+/.exec(running.output.join(''))?.[0] ?? 'none'
  await opened.page.goto(link)
  await opened.page.waitForURL(`${demo.url}/`)
  await opened.settle()
  expect(await opened.text()).toContain('Biggest trades of the last hour')
  expect(opened.takeFaults()).toEqual([])
})

/** A page, and texts of the API's own answers that it has to show. */
type Shown = { name: string; path: (demo: DemoFile) => string; texts: (demo: DemoFile) => Promise<string[]> }

const SHOWN: Shown[] = [
  {
    name: 'home',
    path: () => '/',
    texts: async () => {
      const { data } = await ask<{ data: { question: string }[] }>('/v3/markets/stats?limit=1')
      const { leaderboard } = await ask<{ leaderboard: { wallet: string }[] }>(
        '/v3/leaderboard?period=7d&limit=1',
      )
      return [data[0]?.question ?? '', leaderboard[0]?.wallet.slice(-4) ?? '']
    },
  },
  {
    name: 'market',
    path: ({ samples }) => `/markets/${samples.market_slug}`,
    texts: async ({ samples }) => {
      const path = `/v3/markets/slug/${samples.market_slug}`
      const { data } = await ask<{ data: { question: string; event_title: string }[] }>(path)
      return [data[0]?.question ?? '', data[0]?.event_title ?? '', 'Order book', 'Largest holders']
    },
  },
  {
    name: 'event',
    path: ({ samples }) => `/events/${samples.event_slug}`,
    texts: async ({ samples }) => {
      const { data } = await ask<{ data: { question: string }[] }>(
        `/v3/markets?event_slug=${samples.event_slug}`,
      )
      return data.map(({ question }) => question)
    },
  },
  {
    name: 'wallet',
    path: ({ samples }) => `/wallets/${samples.wallet}`,
    texts: async ({ samples }) => {
      const wallet = await ask<{ position_count: number }>(`/v3/wallets/${samples.wallet}`)
      return [samples.wallet, `${wallet.position_count}`, 'Realized profit and loss']
    },
  },
  {
    name: 'leaderboard',
    path: () => '/leaderboard?period=all',
    texts: async () => {
      const { leaderboard } = await ask<{ leaderboard: { wallet: string }[] }>('/v3/leaderboard?limit=20')
      return leaderboard.map(({ wallet }) => wallet.slice(-4))
    },
  },
  {
    name: 'builders',
    path: () => '/leaderboard?board=builders',
    texts: async () => {
      const { builders } = await ask<{ builders: { builder_name: string | null }[] }>('/v3/builders?limit=20')
      return builders.flatMap(({ builder_name: name }) => name ?? [])
    },
  },
  {
    name: 'crypto',
    path: () => '/crypto?coin=ETH&window=5m',
    texts: async () => {
      const { markets } = await ask<{ markets: { slug: string; title: string }[] }>('/v1/crypto/active')
      return [markets.find(({ slug }) => slug.startsWith('eth'))?.title ?? '', 'Price to beat']
    },
  },
  {
    name: 'sports',
    path: ({ samples }) => `/sports?league=${samples.league}`,
    texts: async ({ samples }) => {
      const { games } = await ask<{ games: { title: string }[] }>(
        `/v2/sports/leagues/${samples.league}/games`,
      )
      return games.map(({ title }) => title)
    },
  },
  {
    name: 'game',
    path: ({ samples }) => `/sports/games/${samples.game_slug}`,
    texts: async ({ samples }) => {
      const game = await ask<{ title: string; markets: { question: string }[] }>(
        `/v2/sports/games/${samples.game_slug}`,
      )
      return [game.title, game.markets[0]?.question ?? '']
    },
  },
  {
    name: 'account',
    path: () => '/account',
    texts: async () => {
      const { account } = await (await opened.page.request.get('/v1/session')).json()
      return [account.id, account.name, 'API keys', 'this session', 'Limits right now']
    },
  },
  {
    name: 'webhooks',
    path: () => '/account/webhooks',
    texts: async () => ['New webhook', 'position_status_change'],
  },
  { name: 'inspector', path: () => '/account/live', texts: async () => ['Subscription', 'Copy as wscat'] },
  {
    name: 'status',
    path: () => '/status',
    texts: async () => {
      const { jobs } = await ask<{ jobs: { name: string }[] }>('/v1/status')
      return ['Head block', ...jobs.slice(0, 3).map(({ name }) => name)]
    },
  },
]

describe.each(SHOWN)('the page $name', ({ name, path, texts }) => {
  test('shows what the API answers, and looks right on every screen', async () => {
    await opened.goto(path(demo))
    // Asked again at each look: what is first on a board may change between the page's question and the test's. The page
    // asks again after a minute.
    await vi.waitFor(
      async () => {
        const wanted = await texts(demo)
        const text = await opened.text()
        for (const each of wanted) expect(text).toContain(each)
      },
      { timeout: 90_000, interval: 250 },
    )
    await opened.checkLooks(name)
    expect(opened.takeFaults()).toEqual([])
  })
})

describe('a person', () => {
  test('finds a market as they type, by keyboard alone', async () => {
    const { data } = await ask<{ data: { question: string | null }[] }>('/v3/markets/stats?limit=50')
    // One that the catalogue does not have yet has no question.
    const question = data.flatMap((market) => market.question ?? []).at(0) ?? ''
    await opened.goto('/')
    await opened.page.keyboard.press('Tab')
    await opened.page.getByRole('combobox').focus()
    await opened.page.keyboard.type(question.slice(0, 20))
    await opened.page.getByRole('option').first().waitFor()
    await opened.page.keyboard.press('ArrowDown')
    await opened.page.keyboard.press('ArrowUp')
    await opened.page.keyboard.press('Enter')
    await opened.page.waitForURL(/\/(markets|events|sports)\//)
    await opened.settle()
    expect(opened.takeFaults()).toEqual([])
  })

  test('makes a key that works, and is signed out when the key is revoked', async () => {
    await opened.goto('/account')
    await opened.page.getByLabel('Name of a new key').fill('from the browser')
    await opened.page.getByRole('button', { name: 'Create key' }).click()
    const key = (await opened.page.locator('.notice code').innerText()).trim()
    const reply = await fetch(`${demo.url}/v1/usage`, { headers: { 'x-api-key': key } })
    expect(reply.status).toBe(200)

    const other = await openOther()
    const page = await other.newPage()
    await page.goto('/account')
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Revoke from the browser' }).click()
    await page.getByRole('button', { name: 'Get a free key' }).waitFor()
    await other.close()
    const after = await fetch(`${demo.url}/v1/usage`, { headers: { 'x-api-key': key } })
    expect(after.status).toBe(403)
    expect(opened.takeFaults()).toEqual([])
  })

  test('on the free plan sees what is locked, with the plan that has it', async () => {
    const other = await openOther(demo.keys.free)
    const page = await other.newPage()
    await page.goto('/')
    const locked = page.locator('.panel', { hasText: 'Wallets of the week' })
    await locked.getByText('In the plan starter and above.').waitFor()
    await other.close()
  })

  test('reads the status without a key', async () => {
    const other = await openOther()
    const page = await other.newPage()
    await page.goto('/status')
    const { jobs } = await ask<{ jobs: { name: string }[] }>('/v1/status')
    await page.getByRole('cell', { name: jobs[0]?.name ?? '', exact: true }).waitFor()
    await other.close()
  })

  test('is told when the connection is lost, and that nothing was missed', async () => {
    const other = await openOther(demo.keys.enterprise)
    const page = await other.newPage()
    const sockets: { close(): void }[] = []
    await page.routeWebSocket(/\/ws/, (socket) => {
      socket.connectToServer()
      sockets.push(socket)
    })
    await page.goto('/')
    const badge = page.locator('.panel', { hasText: 'Biggest trades' }).locator('output')
    await badge.filter({ hasText: /^live$/ }).waitFor()
    sockets.at(-1)?.close()
    await badge.filter({ hasText: 'resumed' }).waitFor()
    await other.close()
  })

  test('is told of the trades of a wallet that they follow', async () => {
    expect(await toldOfTrade).toMatch(/ (buys|sells) .* at .*¢/)
  })

  test('is told what is old while an upstream does not answer', async () => {
    const order = (mode: string) =>
      fetch(`${demo.sim_url}/faults`, { method: 'POST', body: JSON.stringify({ upstream: 'polygon', mode }) })
    const stateIs = (wanted: string) =>
      vi.waitFor(
        async () => {
          const { upstreams } = await ask<{ upstreams: { name: string; state: string }[] }>('/v1/status')
          expect(upstreams).toContainEqual(expect.objectContaining({ name: 'polygon', state: wanted }))
        },
        { timeout: 60_000, interval: 100 },
      )
    const notice = opened.page.locator('.notice', { hasText: 'may be old' })
    await order('drop')
    try {
      await stateIs('failing')
      await opened.goto('/')
      await notice.getByText(/^polygon does not answer/).waitFor()
      expect(await opened.page.locator('tbody tr').count()).toBeGreaterThan(10)
    } finally {
      await order('off')
    }
    await stateIs('ok')
    // The blocks that were missed are booked.
    await vi.waitFor(
      async () => {
        await opened.goto('/')
        expect(await notice.count()).toBe(0)
      },
      { timeout: 60_000, interval: 250 },
    )
    expect(opened.takeFaults()).toEqual([])
  })

  test('reads the pages at twice their size', async () => {
    await opened.page.setViewportSize({ width: 640, height: 450 })
    for (const path of ['/', `/markets/${demo.samples.market_slug}`, '/account']) {
      await opened.goto(path)
      expect(await opened.page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        640,
      )
    }
    expect(opened.takeFaults()).toEqual([])
  })
})

describe('a webhook', () => {
  let receiver: Receiver
  let answer = 200
  beforeAll(async () => {
    receiver = await openReceiver({ answer: () => answer })
  })
  afterAll(() => receiver.close())

  test('is made, tested, watched, sent again, paused and deleted in the browser', async () => {
    const { page } = opened
    page.on('dialog', (dialog) => void dialog.accept())
    await opened.goto('/account/webhooks')
    await page.getByLabel('Send to (https://)').fill(receiver.url)
    await page.getByLabel('Description').fill('desk A')
    await page.getByRole('checkbox', { name: /^market_created/ }).check()
    await page.getByRole('checkbox', { name: /^trade:/ }).check()
    await page.getByRole('button', { name: 'Make the webhook' }).click()
    expect(await page.locator('form, .form').locator('code').first().innerText()).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'Test it' }).click()

    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText(/^Delivered: 200 after \d+ ms/).waitFor()
    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    expect(await page.locator('.notice code').innerText()).toMatch(/^whsec_/)

    const event = page.getByRole('row', { name: /trade/ }).getByRole('button').first()
    const id = await event.innerText()
    await event.click()
    await page.getByText('delivered after 1 attempts').waitFor()
    await page.getByRole('button', { name: 'Send once more' }).click()
    const received = () => receiver.requests.filter(({ envelope }) => envelope.id === id)
    await vi.waitFor(() => expect(received()).toHaveLength(2))

    answer = 500
    await page.getByRole('row', { name: /500/ }).first().waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused.').waitFor()
    await page.getByRole('button', { name: 'Activate' }).click()
    answer = 200
    await page.getByRole('button', { name: 'Send what failed once more' }).click()
    await page.getByText(/failed deliveries of the last day/).waitFor()
    await opened.checkLooks('webhook')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('You have none yet').waitFor()
    expect(opened.takeFaults()).toEqual([])
  })
})

// Late in the file, because its book is recorded up to a minute after the start of the demo.
test('a person chooses a moment of the past of a market, and plays from there to the newest one', async () => {
  const { market_slug: slug, token_id: token } = demo.samples
  // A demo follows thousands of books from its start on, and this one up to a minute later.
  await vi.waitFor(
    async () => {
      const path = `/v3/markets/${token}/book/depth?interval=1d`
      const { recorded } = await ask<{ recorded: { from: number; to: number }[] }>(path)
      expect(recorded.some(({ from, to }) => to - from > 10_000)).toBe(true)
    },
    { timeout: SHOWN_MS_MAX, interval: 500 },
  )
  await opened.goto(`/markets/${slug}`)
  const { page } = opened
  await page.getByRole('button', { name: 'Past', exact: true }).click()
  const slider = page.getByRole('slider', { name: 'Moment' })
  const momentOf = async () => Number(await slider.inputValue())
  const bestBid = page.locator('.book .bid tbody td').first()
  const expectBook = async () => {
    const book = await ask<{ best_bid: string }>(`/v3/markets/${token}/book?at=${await momentOf()}`)
    const shown = `${Math.round(Number(book.best_bid) * 1_000) / 10}¢`
    await vi.waitFor(async () => expect(await bestBid.innerText()).toBe(shown))
  }
  await slider.waitFor()
  await opened.settle()
  await expectBook()
  const newestMs = await momentOf()
  await slider.focus()
  for (let second = 0; second < 5; second++) await page.keyboard.press('ArrowLeft')
  expect(await momentOf()).toBe(newestMs - 5_000)
  await opened.settle()
  await expectBook()
  await opened.checkLooks('market-past')
  await page.getByRole('button', { name: 'Play' }).click()
  await vi.waitFor(async () => expect(await momentOf()).toBe(newestMs))
  await page.getByRole('button', { name: 'Play' }).waitFor()
  await expectBook()
  expect(opened.takeFaults()).toEqual([])
})

test('a page of another site cannot use the session', async () => {
  const cookie = (await context.cookies()).find(({ name }) => name === 'auspex_session')
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
  const headers = { cookie: `auspex_session=${cookie?.value}`, origin: 'https://evil.example' }
  const reply = await fetch(`${demo.url}/v1/account/keys`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
    body: JSON.stringify({ name: 'stolen' }),
  })
  expect([401, 403]).toContain(reply.status)
})
