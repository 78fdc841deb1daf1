import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { SecretBox } from './secret-box.js'

const KEY = '11'.repeat(32)
const SECRET = 'whsec_4f1d2c3b5a69788796a5b4c3d2e1f00f'
const WRONG_KEY = /this process has another key than the one .* AUSPEX_SECRET_KEY/

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await createTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'auspex-secret-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.drop()
})

let dataDir: string
beforeEach(async () => {
  await database.sql`delete from secret_key`
  dataDir = mkdtempSync(join(folder, 'data-'))
})

const open = (secretKey?: string, dir = dataDir) =>
  new SecretBox({ config: { secretKey, dataDir: dir }, store: database })

const refused = (message: RegExp) =>
  expect.objectContaining({ status: 503, message: expect.stringMatching(message) })

test('decrypts what was encrypted, and encrypts the same text differently each time', async () => {
  const box = open(KEY)
  const encrypted = await box.encrypt(SECRET, 'wh_1')
  expect(encrypted.includes('whsec_')).toBe(false)
  expect(await box.encrypt(SECRET, 'wh_1')).not.toEqual(encrypted)
  expect(await open(KEY).decrypt(encrypted, 'wh_1')).toBe(SECRET)
})

test('refuses the secret of another owner, and changed or cut bytes', async () => {
  const box = open(KEY)
  const encrypted = await box.encrypt(SECRET, 'wh_1')
  const changed = Buffer.from(encrypted)
  changed[30] = (changed[30] ?? 0) ^ 1
  for (const [bytes, owner] of [
    [encrypted, 'wh_2'],
    [changed, 'wh_1'],
    [encrypted.subarray(0, 20), 'wh_1'],
    [Buffer.alloc(0), 'wh_1'],
  ] as const) {
    await expect(box.decrypt(bytes, owner)).rejects.toEqual(refused(/rotate the secret/))
  }
})

test('makes a key file that its owner alone may read, when a key is first needed', async () => {
  const box = open()
  const path = join(dataDir, 'secret.key')
  expect(existsSync(path)).toBe(false)
  const encrypted = await box.encrypt(SECRET, 'wh_1')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(await open().decrypt(encrypted, 'wh_1')).toBe(SECRET)
  expect(await open(readFileSync(path, 'utf8').trim()).decrypt(encrypted, 'wh_1')).toBe(SECRET)
})

test('makes the data folder when it is missing', async () => {
  const encrypted = await open(undefined, join(dataDir, 'a/b')).encrypt(SECRET, 'wh_1')
  expect(await open(undefined, join(dataDir, 'a/b')).decrypt(encrypted, 'wh_1')).toBe(SECRET)
})

test('processes that start at the same time agree on one key', async () => {
  const boxes = Array.from({ length: 10 }, () => open())
  const encrypted = await Promise.all(boxes.map((box) => box.encrypt(SECRET, 'wh_1')))
  for (const each of encrypted) expect(await open().decrypt(each, 'wh_1')).toBe(SECRET)
})

test('a process with another key is refused until it has the right one', async () => {
  const encrypted = await open(KEY).encrypt(SECRET, 'wh_1')
  await expect(open('22'.repeat(32)).decrypt(encrypted, 'wh_1')).rejects.toEqual(refused(WRONG_KEY))

  const box = open()
  await expect(box.encrypt(SECRET, 'wh_1')).rejects.toEqual(refused(/this process has no key/))
  expect(existsSync(join(dataDir, 'secret.key'))).toBe(false)
  writeFileSync(join(dataDir, 'secret.key'), Buffer.from(KEY, 'hex').toString('base64'))
  expect(await box.decrypt(encrypted, 'wh_1')).toBe(SECRET)
})

test('says what is wrong with a key file that has no key', async () => {
  writeFileSync(join(dataDir, 'secret.key'), 'nonsense')
  await expect(open().encrypt(SECRET, 'wh_1')).rejects.toEqual(
    refused(/secret\.key must be 64 hexadecimal digits/),
  )
})

test('the database knows no key and no secret', async () => {
  await open(KEY).encrypt(SECRET, 'wh_1')
  const [row] = await database.sql`select fingerprint from secret_key`
  expect(row?.fingerprint.toString('hex')).not.toContain('1111')
  expect(row?.fingerprint).toHaveLength(16)
})
