import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, openReceiver, type ReceivedRequest, type Receiver } from '../../webhooks/receiver.js'

/** How long the owner asks until a service takes a request. */
const PATIENCE_MS = 120_000
const RETRY_MS = 100

type Hook = { id: string; url: string }

/**
 * Has two webhooks for all trades: one that stays as it is, and one that is changed in the middle of deliveries. Their
 * receiver answers with what a step has set.
 */
export class WebhookOwner {
  readonly #receiver: Receiver
  readonly #urls: readonly string[]
  readonly #key: string
  #answer: Answer = 200
  hooks: Hook[] = []

  private constructor(urls: readonly string[], key: string, receiver: Receiver) {
    this.#urls = urls
    this.#key = key
    this.#receiver = receiver
  }

  static async open(urls: readonly string[], key: string): Promise<WebhookOwner> {
    let owner: WebhookOwner | undefined
    const receiver = await openReceiver({ answer: () => owner?.answer ?? 200 })
    owner = new WebhookOwner(urls, key, receiver)
    return owner
  }

  /** What the receiver answers with from now on. */
  get answer(): Answer {
    return this.#answer
  }

  set answer(answer: Answer) {
    this.#answer = answer
  }

  async createHooks(): Promise<void> {
    for (const path of ['/steady', '/changed']) {
      // A request whose answer is lost may have created a webhook. Each request has a path of its own: what that
      // webhook is sent does not count for the one whose history is known.
      const bodyOf = (attempt: number) => {
        return { url: `${this.#receiver.url}${path}/${attempt}`, event_types: ['trade'] }
      }
      this.hooks.push((await this.#ask('POST', '', bodyOf)) as Hook)
    }
  }

  /** Another path and another filter, while deliveries are on their way. */
  async change(pick: number): Promise<void> {
    const hook = this.hooks[1]
    if (hook === undefined) return
    const filters = [{}, { side: 'BUY' }, { min_amount_usd: 5 }][pick % 3]
    await this.#ask('PUT', `/${hook.id}`, () => ({ url: `${this.#receiver.url}/changed/${pick}`, filters }))
  }

  /** Requests that the webhook which stays has made. */
  get steady(): readonly ReceivedRequest[] {
    const [hook] = this.hooks
    return hook === undefined ? [] : this.#receiver.at(new URL(hook.url).pathname)
  }

  /** Rows of the history of the webhook that stays, the newest first. */
  async readHistory(): Promise<HistoryRow[]> {
    const rows: HistoryRow[] = []
    for (;;) {
      const page = `/${this.hooks[0]?.id}/deliveries?limit=200&offset=${rows.length}`
      const { deliveries } = (await this.#ask('GET', page)) as { deliveries: HistoryRow[] }
      rows.push(...deliveries)
      if (deliveries.length < 200) return rows
    }
  }

  async close(): Promise<void> {
    await this.#receiver.close()
  }

  async #ask(method: string, path: string, bodyOf?: (attempt: number) => object): Promise<unknown> {
    let said = ''
    const endMs = performance.now() + PATIENCE_MS
    for (let attempt = 0; performance.now() < endMs; attempt++) {
      const url = this.#urls[attempt % this.#urls.length]
      try {
        const reply = await fetch(`${url}/v3/webhooks${path}`, {
          method,
          headers: { 'x-api-key': this.#key, 'content-type': 'application/json' },
          ...(bodyOf !== undefined && { body: JSON.stringify(bodyOf(attempt)) }),
          signal: AbortSignal.timeout(5_000),
        })
        const text = await reply.text()
        if (reply.ok) return JSON.parse(text)
        said = `${reply.status} ${text}`
        if (reply.status < 500 && reply.status !== 429) break
      } catch (error) {
        said = String(error)
      }
      await delay(RETRY_MS)
    }
    throw new Error(`${method} /v3/webhooks${path}: ${said}`)
  }
}

type HistoryRow = { event_id: string; success: boolean; attempt: number; error: string | null }
