import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseKey } from '../config/setting.js'
import { codeOf, messageOf } from '../core/errors.js'
import { prepareDataFolder } from './data-folder.js'

export const KEY_FILE = 'secret.key'
const KEY_BYTES = 32

/** The key in the data folder; `undefined`: there is none. */
export function readKeyFile(dataDir: string): Buffer | undefined {
  const path = join(dataDir, KEY_FILE)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
  try {
    return Buffer.from(parseKey(text), 'hex')
  } catch (error) {
    throw new Error(`what is in ${path} ${messageOf(error)}`)
  }
}

/**
 * Makes the key of the data folder, and returns it; of processes that do so at the same time one wins,
 * because a link appears whole or not at all, and never over an existing file.
 */
export function makeKeyFile(dataDir: string): Buffer {
  prepareDataFolder(dataDir)
  const path = join(dataDir, KEY_FILE)
  const mine = `${path}.${randomBytes(6).toString('hex')}`
  const key = randomBytes(KEY_BYTES)
  try {
    writeFileSync(mine, `${key.toString('hex')}\n`, { mode: 0o600 })
    linkSync(mine, path)
    return key
  } catch (error) {
    const made = codeOf(error) === 'EEXIST' ? readKeyFile(dataDir) : undefined
    if (made === undefined) throw error
    return made
  } finally {
    rmSync(mine, { force: true })
  }
}
