import { expect, test } from 'vitest'
import { createSecret } from '../accounts/secret.js'
import { createLog } from './log.js'

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
