// Makes a webhook, receives its deliveries, checks their signatures, and takes the webhook away at the end:
//   node dist/examples/webhook-receiver.js [--port 3000] [--url https://…] [--min-usd 100] [--count 10]
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { AuspexClient, verifyWebhook, type WebhookEvent } from 'auspex-client'

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '3000' },
      // Where the service finds this program, if that is not this machine.
      url: { type: 'string' },
      'min-usd': { type: 'string', default: '100' },
      count: { type: 'string', default: 'Infinity' },
    },
  })
  const { AUSPEX_URL, AUSPEX_KEY } = process.env
  if (!AUSPEX_URL || !AUSPEX_KEY) throw new Error('Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md')
  const auspex = new AuspexClient({ baseUrl: AUSPEX_URL, apiKey: AUSPEX_KEY })
  const count = Number(values.count)
  if (!(count > 0))
    throw new Error('Usage: webhook-receiver [--port 3000] [--url …] [--min-usd 100] [--count 10]')

  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const seen = new Set<string>()
  const server = createServer(async (request, response) => {
    const event = await readEvent(request, secret)
    // Answer first and work later: the service waits for some seconds.
    response.writeHead(event === undefined ? 401 : 204).end()
    if (event === undefined || seen.has(event.id) || seen.size === count) return
    seen.add(event.id)
    console.log(`${event.type} ${event.id} ${JSON.stringify(event.data)}`)
    // As Ctrl-C does.
    if (seen.size === count) process.emit('SIGINT')
  }).listen(Number(values.port), '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = values.url ?? `http://127.0.0.1:${port}/hook`
  const ended = once(process, 'SIGINT')
  const filters = { min_amount_usd: Number(values['min-usd']) }
  const { id } = await auspex.post('/v3/webhooks', { body: { url, event_types: ['trade'], filters, secret } })
  console.log(`${id} sends to ${url}`)
  await ended
  await auspex.delete('/v3/webhooks/{id}', { path: { id } })
  server.close()
  server.closeAllConnections()
}

/** `undefined`: it is not from the service. */
async function readEvent(request: IncomingMessage, secret: string): Promise<WebhookEvent | undefined> {
  try {
    return await verifyWebhook({ body: await buffer(request), headers: request.headers, secret })
  } catch (error) {
    console.error(`-- refused: ${(error as Error).message}`)
    return undefined
  }
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
