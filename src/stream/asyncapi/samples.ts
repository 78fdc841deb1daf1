type Sample = { language: 'sh' | 'ts' | 'python'; title: string; code: string }

/**
 * What the page shows of each socket: a program in each language, which is whole. Address, key and token are variables of the
 * environment. curl speaks no WebSocket on most machines, so the terminal has `auspex tail`.
 */
export const STREAM_SAMPLES: Readonly<Record<'events' | 'orderbook', readonly Sample[]>> = {
  events: [
    {
      language: 'sh',
      title: 'Terminal',
      code: 'npx auspex tail trades --min-size 1 --url "$AUSPEX_URL" --key "$AUSPEX_KEY"',
    },
    {
      language: 'ts',
      title: 'TypeScript',
      code: `import { AuspexClient } from 'auspex-client'

const auspex = new AuspexClient({ baseUrl: process.env.AUSPEX_URL ?? '', apiKey: process.env.AUSPEX_KEY ?? '' })
for await (const event of auspex.subscribe({ type: 'trades', filters: { min_size: 1 } })) console.log(event)`,
    },
    {
      language: 'python',
      title: 'Python',
      code: toPython('/ws', '"type": "trades", "filters": {"min_size": 1}'),
    },
  ],
  orderbook: [
    {
      language: 'sh',
      title: 'Terminal',
      code: 'npx auspex tail orderbook --token "$TOKEN" --url "$AUSPEX_URL" --key "$AUSPEX_KEY"',
    },
    {
      language: 'ts',
      title: 'TypeScript',
      code: `import { AuspexClient } from 'auspex-client'

const auspex = new AuspexClient({ baseUrl: process.env.AUSPEX_URL ?? '', apiKey: process.env.AUSPEX_KEY ?? '' })
for await (const { bids, asks, isStale } of auspex.books([process.env.TOKEN ?? ''])) {
  if (!isStale) console.log(bids[0], asks[0])
}`,
    },
    {
      language: 'python',
      title: 'Python',
      code: toPython('/ws/orderbook', '"markets": [os.environ["TOKEN"]]'),
    },
  ],
}

/** A lost connection ends it: docs/api.md has the one that goes on. */
function toPython(path: string, fields: string): string {
  return `import json, os
from websockets.sync.client import connect

url = os.environ["AUSPEX_URL"].replace("http", "ws", 1) + "${path}"
with connect(url, additional_headers={"x-api-key": os.environ["AUSPEX_KEY"]}, max_size=None) as socket:
    socket.send(json.dumps({"action": "subscribe", ${fields}}))
    for text in socket:
        print(text, flush=True)`
}
