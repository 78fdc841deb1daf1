import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Config } from '../config/config.js'
import { messageOf, unavailable } from '../core/errors.js'
import type { Sql } from './connection.js'
import { makeKeyFile, readKeyFile } from './key-file.js'

type SecretBoxDeps = {
  config: Pick<Config, 'secretKey' | 'dataDir'>
  store: { readonly sql: Sql }
}

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts the secrets that accounts give into the keeping of the service. The key is a setting or a
 * file of the data folder. The database knows the fingerprint of the key alone, which is that of the
 * first process that needed it: a process with another key gets a 503 from every method, which says
 * what the operator has to do, and asks again the next time.
 */
export class SecretBox {
  readonly #deps: SecretBoxDeps
  #key: Buffer | undefined

  constructor(deps: SecretBoxDeps) {
    this.#deps = deps
  }

  /** `owner`: what the secret is of. It can be decrypted for the same owner only. */
  async encrypt(secret: string, owner: string): Promise<Buffer> {
    const key = await this.#findKey()
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(owner))
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), text])
  }

  /** Throws a 503 when the secret was encrypted with another key or for another owner. */
  async decrypt(encrypted: Buffer, owner: string): Promise<string> {
    const key = await this.#findKey()
    try {
      const iv = encrypted.subarray(0, IV_BYTES)
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(owner))
      decipher.setAuthTag(encrypted.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      const text = decipher.update(encrypted.subarray(IV_BYTES + TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch (error) {
      throw unavailable(
        `The secret of ${owner} was encrypted with a key that is gone: rotate the secret.`,
        error,
      )
    }
  }

  async #findKey(): Promise<Buffer> {
    this.#key ??= await findSecretKey(this.#deps)
    return this.#key
  }
}

async function findSecretKey({ config, store }: SecretBoxDeps): Promise<Buffer> {
  const known = await selectFingerprint(store.sql)
  const key = readOwnKey(config, known === undefined)
  const fingerprint = key === undefined ? undefined : fingerprintOf(key)
  if (known === undefined && fingerprint !== undefined) {
    await store.sql`insert into secret_key ${store.sql({ fingerprint })} on conflict do nothing`
  }
  // Another process may have been first.
  const wanted = known ?? (await selectFingerprint(store.sql))
  if (key === undefined || fingerprint === undefined || wanted?.equals(fingerprint) !== true) {
    throw unavailable(
      'Secrets of webhooks cannot be read or written: this process has ' +
        `${key === undefined ? 'no key' : 'another key than the one'} for those in the database. ` +
        'The operator has to give every process the same AUSPEX_SECRET_KEY, or the file secret.key ' +
        'of the data folder of the first process.',
    )
  }
  return key
}

/** Why this process could not read the secrets in the database; `undefined`: it could, or there are none. Makes no key. */
export async function findKeyProblem(sql: Sql, config: SecretBoxDeps['config']): Promise<string | undefined> {
  const known = await selectFingerprint(sql)
  if (known === undefined) return undefined
  const key = readOwnKey(config, false)
  if (key === undefined) return 'there is none, and the database has secrets of webhooks'
  return fingerprintOf(key).equals(known) ? undefined : 'it is another one than that of the database'
}

/** A key is made for a database without secrets only: for any other one it would be the wrong one. */
function readOwnKey({ secretKey, dataDir }: SecretBoxDeps['config'], mayMake: boolean) {
  if (secretKey !== undefined) return Buffer.from(secretKey, 'hex')
  try {
    return readKeyFile(dataDir) ?? (mayMake ? makeKeyFile(dataDir) : undefined)
  } catch (error) {
    throw unavailable(
      `The key for secrets of webhooks cannot be read or made: ${messageOf(error)}. ` +
        'The operator has to make the data folder usable, or to set AUSPEX_SECRET_KEY.',
      error,
    )
  }
}

const fingerprintOf = (key: Buffer): Buffer =>
  createHmac('sha256', key).update('auspex secret key').digest().subarray(0, 16)

async function selectFingerprint(sql: Sql): Promise<Buffer | undefined> {
  const [row] = await sql<{ fingerprint: Buffer }[]>`select fingerprint from secret_key`
  return row?.fingerprint
}
