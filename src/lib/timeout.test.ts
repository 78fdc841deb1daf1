import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { TimeoutError, withTimeout } from './timeout.js'

const never = new Promise<never>(() => undefined)

test('ends what takes too long, and nothing before its time', async () => {
  const startedAt = performance.now()
  await expect(withTimeout(never, 250, 'late')).rejects.toThrow(TimeoutError)
  expect(performance.now() - startedAt).toBeGreaterThan(245)
  expect(await withTimeout(Promise.resolve(7), 0, 'late')).toBe(7)
})

test('a process that was stalled reads the answer that came meanwhile', async () => {
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const client = connect((echo.address() as AddressInfo).port, '127.0.0.1')
  await once(client, 'connect')
  const answer = once(client, 'data').then(() => 'answered')
  const answered = withTimeout(answer, 400, 'late')
  // As the driver of the database does: the query is sent in the next tick of the event loop.
  setImmediate(() => client.write('question'))
  const stalledUntil = performance.now() + 450
  while (performance.now() < stalledUntil);
  expect(await answered).toBe('answered')
  client.destroy()
  echo.close()
})
