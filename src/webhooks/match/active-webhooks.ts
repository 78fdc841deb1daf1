import type { Sql } from '../../store/connection.js'
import { selectChangedWebhooks } from './queries.js'
import { WebhookIndex } from './webhook-index.js'

/** Webhooks that are read at once: each may have a thousand filter items. */
const ROWS_MAX = 500

/** The index of all active webhooks, kept up with their rows. */
export class ActiveWebhooks {
  readonly index = new WebhookIndex()
  #revision = -1

  /** Takes over what changed up to a revision. Throws what the database throws; the next call goes on. */
  async refresh(sql: Sql, revision: number): Promise<void> {
    while (this.#revision < revision) {
      const changed = await selectChangedWebhooks(sql, this.#revision, ROWS_MAX)
      for (const { isActive, ...webhook } of changed) {
        if (isActive) this.index.set(webhook)
        else this.index.delete(webhook.id)
      }
      this.#revision = changed.length < ROWS_MAX ? revision : (changed.at(-1)?.revision ?? revision)
    }
  }
}
