import { readCanonicalFills } from '../../streams/canonical-fills.js'
import type { ReceivedRequest } from '../../webhooks/receiver.js'
import type { WebhookOwner } from '../clients/webhook-owner.js'

type Truth = { nodeUrl: string; fromBlock: number; headBlock: number }

/** Trades of the chain that the receiver has not taken yet. They may still come: a failed delivery is tried again. */
export async function listUndelivered(owner: WebhookOwner, truth: Truth): Promise<string[]> {
  const { nodeUrl, fromBlock, headBlock: toBlock } = truth
  if (fromBlock > toBlock) return []
  const taken = new Set(accepted(owner.steady).map(({ envelope }) => String(envelope.data.id)))
  const fills = await readCanonicalFills(nodeUrl, { fromBlock, toBlock })
  return fills.map((fill) => `${fill.tx_hash}_${fill.log_index}`).filter((id) => !taken.has(id))
}

/** Ids and bytes of what came, and whether the history says the same. */
export async function checkWebhooks(owner: WebhookOwner): Promise<string[]> {
  const found = checkIds(owner.steady)
  const rows = await owner.readHistory()
  const successes = new Set(rows.filter(({ success }) => success).map((row) => row.event_id))
  const taken = new Set(accepted(owner.steady).map(({ envelope }) => envelope.id))
  for (const id of successes) if (!taken.has(id)) found.push(`${id} is a success that the receiver never saw`)
  for (const id of taken)
    if (!successes.has(id)) found.push(`${id} was taken, and the history has no success`)
  return found.map((text) => `webhooks: ${text}`)
}

const accepted = (requests: readonly ReceivedRequest[]) => requests.filter(({ answered }) => answered === 200)

/** A trade has one event id, and every request for an event has the same bytes. */
function checkIds(requests: readonly ReceivedRequest[]): string[] {
  const bodies = new Map<string, string>()
  const ids = new Map<string, string>()
  const found: string[] = []
  for (const { envelope, body } of requests) {
    const { id, data } = envelope
    const trade = String(data.id)
    if ((bodies.get(id) ?? body) !== body) found.push(`${id} came with other bytes`)
    if ((ids.get(trade) ?? id) !== id) found.push(`${trade} came as ${ids.get(trade)} and as ${id}`)
    bodies.set(id, body)
    ids.set(trade, id)
  }
  return found
}
