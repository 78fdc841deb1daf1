import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { counts } from '../counts.js'

const ROOT = join(import.meta.dirname, '../..')
const SCREENSHOTS_DIR = join(ROOT, '.screenshots')
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')

const WAIT = { timeout: 60_000, interval: 50 }
const DESK = { width: 1280, height: 900 }
const PHONE = { width: 360, height: 740 }
/** Pictures of all pages for people to look at. */
const TAKES_SCREENSHOTS = counts({ short: false, long: true })
/** The rules that are checked in the dark; `undefined`: all. Only colours are different there. */
const DARK_RULES = counts({ short: ['color-contrast', 'link-in-text-block'], long: undefined })

/** A page on which everything is noted that should not happen. */
export class WatchedPage {
  readonly page: Page
  readonly #origin: string
  readonly #faults: string[] = []

  constructor(page: Page, origin: string) {
    this.page = page
    this.#origin = origin
    page.on('console', (message) => this.#faults.push(`console: ${message.text()}`))
    page.on('pageerror', (error) => this.#faults.push(`error: ${error.message}`))
    page.on('request', (request) => {
      const { origin: asked, protocol } = new URL(request.url())
      if (asked !== origin && protocol !== 'data:') this.#faults.push(`request: ${request.url()}`)
    })
  }

  static async open(context: BrowserContext, origin: string): Promise<WatchedPage> {
    return new WatchedPage(await context.newPage(), origin)
  }

  /** Goes to a path, and waits until all of its parts have an answer. */
  async goto(path: string): Promise<void> {
    await this.page.goto(this.#origin + path)
    await this.settle()
  }

  async settle(): Promise<void> {
    await this.page.waitForSelector('h1, h2')
    await vi.waitFor(async () => expect(await this.page.locator('.skeleton').count()).toBe(0), WAIT)
  }

  /** The visible text of the page. */
  text(): Promise<string> {
    return this.page.innerText('main')
  }

  /** What was noted since the last call. */
  takeFaults(): string[] {
    return this.#faults.splice(0)
  }

  /** Light, dark and as wide as a phone, each without a serious finding about access. */
  async checkLooks(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS_DIR, { recursive: true })
    const { page } = this
    for (const look of ['light', 'dark', 'phone'] as const) {
      await page.emulateMedia({ colorScheme: look === 'dark' ? 'dark' : 'light', reducedMotion: 'reduce' })
      await page.setViewportSize(look === 'phone' ? PHONE : DESK)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(width, `${name}, ${look}: wider than the screen`).toBeLessThanOrEqual(
        look === 'phone' ? PHONE.width : DESK.width,
      )
      const rules = look === 'dark' ? DARK_RULES : undefined
      expect(await this.#findSeriousFaults(rules), `${name}, ${look}`).toEqual([])
      if (TAKES_SCREENSHOTS)
        await page.screenshot({ path: join(SCREENSHOTS_DIR, `${name}-${look}.png`), fullPage: true })
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(DESK)
  }

  /** `rules`: those that are checked; absent: all. */
  async #findSeriousFaults(rules: string[] | undefined): Promise<string[]> {
    // As a script of the debugger: the policy of the page allows none but its own.
    if (await this.page.evaluate<boolean>('globalThis.axe === undefined')) await this.page.evaluate(AXE)
    const found = await this.page.evaluate(async (runOnly) => {
      type Axe = {
        run: (
          options: object,
        ) => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>
      }
      const options = { resultTypes: ['violations'], ...(runOnly !== undefined && { runOnly }) }
      const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(options)
      return violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes.map(({ html }) => html) }))
    }, rules)
    return found
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, html }) => `${id}: ${html.slice(0, 3).join(' ')}`)
  }
}
