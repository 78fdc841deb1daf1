import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { launchChromium } from '../../bench/lib/chromium.js'
import { createDataDir, type Running, startAuspex } from '../processes.js'
import { WatchedPage } from './watched-page.js'

/** A service that has just been installed: nothing in its database, no upstream that answers. */
let folder: ReturnType<typeof createDataDir>
let running: Running
let browser: Browser
let opened: WatchedPage

beforeAll(async () => {
  folder = createDataDir()
  ;[browser, running] = await Promise.all([launchChromium(), startAuspex(['--data', folder.dataDir])])
  const context = await browser.newContext({ locale: 'en-US' })
  opened = await WatchedPage.open(context, running.url)
})
afterAll(async () => {
  await browser?.close()
  await running?.stop()
  folder?.remove()
})

test('the link of the first start makes an account, in the browser', async () => {
  const findLink = () => /http:\S+\/sign-in\?code=\S+/.exec(running.output.join(''))?.[0]
  await vi.waitFor(() => expect(findLink()).toBeDefined())
  const { page } = opened
  await page.goto(findLink() ?? '')
  await page.getByLabel('Name').fill('our desk')
  await page.getByRole('button', { name: /account/ }).click()
  const key = await page.locator('pre').innerText()
  const reply = await fetch(`${running.url}/v1/usage`, { headers: { 'x-api-key': key } })
  expect(await reply.json()).toMatchObject({ tier: 'enterprise' })
  // The code makes no account without a name, and the browser notes the refusal.
  expect(opened.takeFaults()).toEqual([expect.stringContaining('400')])
})

const UNKNOWN = `0x${'1'.repeat(40)}`

test.each([
  ['/', /Nobody has traded for.*boards are not made yet.*set to the address/s],
  ['/leaderboard', /The boards are not made yet/],
  [`/wallets/${UNKNOWN}`, /Wallet/],
  ['/markets/none', /There is no market none/],
  ['/events/none', /There is no event none/],
  ['/crypto', /Crypto/],
  ['/sports', /The platform does not answer now|No league/],
  ['/sports/games/none', /The platform does not answer now|no game/i],
  ['/account', /our desk/],
  ['/account/webhooks', /You have none yet/],
  ['/account/live', /Subscription/],
  ['/status', /Head block/],
])('%s says what is missing', async (path, text) => {
  await opened.goto(path)
  expect(await opened.text()).toMatch(text)
  expect(await opened.text()).toMatch(/may be old or missing/)
  if (path === '/') await opened.checkLooks('fresh')
  // The browser notes each request that the service refuses because of an upstream; the page says it in words.
  const faults = opened.takeFaults().filter((fault) => !/status of (404|502|503)/.test(fault))
  expect(faults).toEqual([])
})
