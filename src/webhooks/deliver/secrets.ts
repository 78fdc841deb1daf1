import { GenerationMap } from '../../lib/generation-map.js'
import type { SecretBox } from '../../store/secret-box.js'

const SECRETS_MAX = 5_000

/** Secrets of webhooks by their encrypted form, so that a rotated secret is another one. */
export class DecryptedSecrets {
  readonly #box: Pick<SecretBox, 'decrypt'>
  readonly #known = new GenerationMap<string, string>()

  constructor(box: Pick<SecretBox, 'decrypt'>) {
    this.#box = box
  }

  /** Throws when the key that the secret was encrypted with is gone. */
  async find(encrypted: Buffer, webhookName: string): Promise<string> {
    const key = `${webhookName} ${encrypted.toString('latin1')}`
    const known = this.#known.keep(key)
    if (known !== undefined) return known
    const secret = await this.#box.decrypt(encrypted, webhookName)
    if (this.#known.size >= SECRETS_MAX) this.#known.turn()
    this.#known.set(key, secret)
    return secret
  }
}
