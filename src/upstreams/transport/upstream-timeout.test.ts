import { expect, test } from 'vitest'
import { onAbort } from '../../lib/abort.js'
import { withUpstreamTimeout } from './upstream-timeout.js'

const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => onAbort(signal, () => reject(signal.reason)))

test('an answer in time is the answer', async () => {
  expect(await withUpstreamTimeout('clob', async () => 7)).toBe(7)
})

test('calls that take too long are aborted, as a fault of the upstream', async () => {
  await expect(withUpstreamTimeout('clob', never, 20)).rejects.toMatchObject({
    name: 'UpstreamError',
    upstream: 'clob',
    retryable: true,
    message: 'clob: gave no answer within 20 ms',
  })
})
