import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, expect, test } from 'vitest'
import { createTestApp } from '../../test/test-app.js'
import { STANDARD } from '../accounts/access.js'
import { awaitLargeAnswerSlot } from './await-large-answer-slot.js'

let endless: Readable
const t = await createTestApp({
  routes: (ctx) => [
    async (app) => {
      app.get('/endless', { config: { access: STANDARD } }, async (request, reply) => {
        await awaitLargeAnswerSlot(ctx.largeAnswers, request, reply, 50)
        endless = new Readable({ read: () => endless.push(Buffer.alloc(1_000)) })
        return reply.send(endless)
      })
    },
  ],
})
afterAll(() => t.close())

test('a client that takes an answer too slowly is cut off, and its slot is free', async () => {
  await t.app.listen({ port: 0, host: '127.0.0.1' })
  const { key } = await t.createCaller('free')
  const { port } = t.app.server.address() as { port: number }
  for (let request = 0; request < 10; request++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.write(`GET /endless HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\n\r\n`)
    const [first] = await once(socket, 'data')
    expect(`${first}`).toMatch(/^HTTP\/1.1 200 /)
    await once(socket, 'close')
    expect(endless.destroyed).toBe(true)
  }
})
