import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { createSecret } from '../accounts/secret.js'
import { createLog } from './log.js'

test('lines are JSON in a file or a pipe, and readable on a terminal', () => {
  const write = (isTTY: boolean) => {
    const lines: string[] = []
    const log = createLog('info', { isTTY, write: (line) => lines.push(line) })
    log.info({ url: 'http://127.0.0.1:8080', reason: 'two words \x1b[2J' }, 'listening')
    log.error({ err: new Error('no such thing'), job: 'tags' }, 'job failed')
    return lines.map(stripVTControlCharacters)
  }
  for (const line of write(false)) expect(JSON.parse(line)).toHaveProperty('msg')
  const [info = '', error = ''] = write(true)
  expect(info).toMatch(
    /^\d\d:\d\d:\d\d info {2}listening url=http:\/\/127\.0\.0\.1:8080 reason="two words "\n$/,
  )
  expect(error).toMatch(/^\d\d:\d\d:\d\d error job failed: no such thing job=tags\n {4}at /)
})

test('no line of the log holds a key, wherever it was put', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const key = createSecret()
  const legacy = key.replace('ax_', 'auspex_')
  log.info({ key, nested: { list: [legacy] }, url: `/v1/usage?key=${key}` }, `message ${key}`)
  log.error({ err: new Error(`failed with ${legacy}`) }, 'failed')
  log.info({ url: key.replaceAll('_', '%5F') }, 'encoded')

  const text = lines.join('')
  expect(text).not.toContain(key.slice(8))
  expect(text.match(/live_\[redacted\]/g)?.length).toBeGreaterThanOrEqual(6)
})
