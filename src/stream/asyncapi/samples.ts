type Sample = { language: 'sh' | 'ts' | 'python'; title: string; code: string }

/**
 * What the page shows of each socket: a program in each language, which is whole. Address, key and token are variables of the
 * environment. curl speaks no WebSocket on most machines, so the terminal has `auspex tail`.
 */
export const STREAM_SAMPLES: Readonly<Record<'events' | 'orderbook' | 'replay', readonly Sample[]>> = {
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
  replay: [
    {
      language: 'sh',
      title: 'Terminal',
      code: 'npx auspex replay trades --minutes 10 --speed max --url "$AUSPEX_URL" --key "$AUSPEX_KEY"',
    },
    {
      language: 'ts',
      title: 'TypeScript',
      code: `import { AuspexClient } from 'auspex-client'

const auspex = new AuspexClient({ baseUrl: process.env.AUSPEX_URL ?? '', apiKey: process.env.AUSPEX_KEY ?? '' })
const replay = auspex.replay({ from: Date.now() - 600_000, to: Date.now(), speed: 'max' })
for await (const event of replay.subscribe({ type: 'trades' })) console.log(event)`,
    },
    {
      language: 'python',
      title: 'Python',
      code: `import json, os, time
from websockets.sync.client import connect

now = int(time.time())
url = os.environ["AUSPEX_URL"].replace("http", "ws", 1) + f"/ws/replay?from={now - 600}&to={now}&speed=max"
with connect(url, additional_headers={"x-api-key": os.environ["AUSPEX_KEY"]}, max_size=None) as socket:
    socket.send(json.dumps({"action": "subscribe", "type": "trades"}))
    for text in socket:
        print(text, flush=True)`,
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
