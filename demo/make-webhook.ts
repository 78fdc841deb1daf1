import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DemoFile } from './demo-file.js'

const DELIVERED_MS_MAX = 60_000

type Delivery = { event_id: string; success: boolean }

/** A webhook of the demo that has had an event, and its receiver on this machine. */
export async function makeWebhook({ url, keys }: DemoFile) {
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`

  const ask = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const reply = await fetch(`${url}/v3/webhooks${path}`, {
      method,
      headers: { 'x-api-key': keys.enterprise, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return (await reply.json()) as Answer
  }
  const remove = async (): Promise<void> => {
    const { webhooks } = await ask<{ webhooks: { id: string; url: string }[] }>('GET', '')
    const own = webhooks.filter((webhook) => webhook.url === receiverUrl)
    for (const { id } of own) await ask('DELETE', `/${id}`)
    receiver.close()
    receiver.closeAllConnections()
  }

  try {
    const { id } = await ask<{ id: string }>('POST', '', {
      url: receiverUrl,
      event_types: ['trade'],
    })
    const deadlineMs = Date.now() + DELIVERED_MS_MAX
    for (;;) {
      const { deliveries } = await ask<{ deliveries: Delivery[] }>('GET', `/${id}/deliveries`)
      const delivered = deliveries.find(({ success }) => success)
      if (delivered !== undefined) {
        const event = { webhook_event_id: delivered.event_id }
        const samples = { webhook_id: id, ...event, receiver_url: receiverUrl }
        return { samples, remove }
      }
      if (Date.now() > deadlineMs) throw new Error('the demo has sent no event to a webhook')
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  } catch (error) {
    await remove()
    throw error
  }
}
