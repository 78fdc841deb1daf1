import { setTimeout as delay } from 'node:timers/promises'

/** Every process refuses a revoked key after a second; some more for a machine that is busy. */
const REVOKED_WITHIN_MS = 2_000
const REPLY_MS_MAX = 5_000

/** An account that makes keys and revokes them. */
export class KeyHolder {
  readonly notices: string[] = []
  readonly #urls: readonly string[]
  readonly #key: string

  constructor(urls: readonly string[], key: string) {
    this.#urls = urls
    this.#key = key
  }

  /** Makes a key, uses it, revokes it, and tries it at every process. Without a service that answers nothing happens. */
  async revokeOne(pick: number): Promise<void> {
    const url = this.#urls[pick % this.#urls.length] ?? ''
    const made = await this.#ask(url, 'POST', '/v1/account/keys', this.#key, { name: `universe ${pick}` })
    if (made?.status !== 201) return
    const { id, key } = (await made.json()) as { id: string; key: string }
    // Each process knows it by now.
    for (const each of this.#urls) await this.#ask(each, 'GET', '/v1/usage', key)
    const revoked = await this.#ask(url, 'DELETE', `/v1/account/keys/${id}`, this.#key)
    // Without an answer the client cannot know whether the service has revoked it.
    if (revoked?.ok !== true) return
    await delay(REVOKED_WITHIN_MS)
    for (const each of this.#urls) {
      const reply = await this.#ask(each, 'GET', '/v1/usage', key)
      if (reply?.status === 200) this.notices.push(`keys: ${each} still takes the revoked key ${id}`)
    }
  }

  async #ask(url: string, method: string, path: string, key: string, body?: object) {
    try {
      return await fetch(`${url}${path}`, {
        method,
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REPLY_MS_MAX),
      })
    } catch {
      return undefined
    }
  }
}
