import type { StreamEvent, StreamGap, SubscribeOptions } from 'auspex-client'
import { useState } from 'react'
import { useLive } from '../live.js'
import { Code } from '../parts/code.js'
import { CopyButton } from '../parts/copy-button.js'
import { LiveBadge } from '../parts/live-badge.js'
import { Panel } from '../parts/panel.js'
import { Time } from '../parts/values.js'
import { AccountTabs } from './account-tabs.js'

const TYPES = [
  'settlements', 'trades', 'prices', 'fills', 'combos', 'blocks', 'wallets', 'markets', 'redemptions', 'deposits',
  'large_trades', 'global', 'oracle', 'resolutions', 'scores',
] as const satisfies readonly SubscribeOptions['type'][] // biome-ignore format: a list to read

const SHOWN = 200

type Seen = { id: number; atMs: number; event: StreamEvent | StreamGap; text: string }

/** Subscribes as a program would, and shows what comes. */
export function InspectorPage() {
  const [type, setType] = useState('trades')
  const [filters, setFilters] = useState('{}')
  const [subscription, setSubscription] = useState<SubscribeOptions>()
  const [problem, setProblem] = useState<string>()
  const [seen, setSeen] = useState<readonly Seen[]>([])
  const [isPaused, setPaused] = useState(false)
  const [wanted, setWanted] = useState('')
  const state = useLive(subscription, (event) => {
    if (isPaused) return
    const text = JSON.stringify(event, null, 2)
    setSeen((before) =>
      [{ id: (before[0]?.id ?? 0) + 1, atMs: Date.now(), event, text }, ...before].slice(0, SHOWN),
    )
  })
  const subscribe = () => {
    try {
      const parsed: unknown = JSON.parse(filters)
      setProblem(undefined)
      setSeen([])
      setSubscription({ type, filters: parsed } as SubscribeOptions)
    } catch {
      setProblem('The filters are not JSON, such as {"min_size": 100}.')
    }
  }
  const shown = seen.filter(({ text }) => text.toLowerCase().includes(wanted.toLowerCase()))
  const samples = samplesOf({ type, filters })
  return (
    <>
      <h1>Live inspector</h1>
      <AccountTabs />
      <Panel title="Subscription" aside={subscription !== undefined && <LiveBadge state={state} />}>
        <form
          className="inside form"
          onSubmit={(event) => {
            event.preventDefault()
            subscribe()
          }}
        >
          <label>
            Type
            <select value={type} onChange={(event) => setType(event.target.value)}>
              {TYPES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <label>
            Filters, as JSON (see the streams' reference)
            <textarea
              rows={3}
              value={filters}
              spellCheck={false}
              onChange={(event) => setFilters(event.target.value)}
            />
          </label>
          {problem !== undefined && <p role="alert">{problem}</p>}
          <div className="row">
            <button type="submit" className="primary">
              Subscribe
            </button>
            {Object.entries(samples).map(([name, text]) => (
              <CopyButton key={name} text={text} label={`Copy as ${name}`} />
            ))}
          </div>
        </form>
      </Panel>
      <Panel
        title={`Messages (${seen.length})`}
        aside={
          <div className="row">
            <label className="inline">
              Search
              <input type="search" value={wanted} onChange={(event) => setWanted(event.target.value)} />
            </label>
            <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
              {isPaused ? 'Go on' : 'Pause'}
            </button>
          </div>
        }
      >
        <div className="inside form">
          {shown.length === 0 && <p className="soft">Nothing yet.</p>}
          {shown.map(({ id, atMs, event, text }) => (
            <details key={id}>
              <summary>
                <Time at={atMs} /> {event.type}
              </summary>
              <Code text={text} />
            </details>
          ))}
        </div>
      </Panel>
    </>
  )
}

/** The same subscription from other programs. */
function samplesOf({ type, filters }: { type: string; filters: string }): Record<string, string> {
  const url = location.origin.replace(/^http/, 'ws')
  const message = `{"action":"subscribe","type":"${type}","filters":${filters}}`
  const upgrade = [
    "-H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13'",
    "-H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='",
  ].join(' ')
  return {
    curl: `curl -N --http1.1 ${upgrade} '${location.origin}/ws?key=YOUR_KEY'`,
    wscat: `npx wscat -c '${url}/ws?key=YOUR_KEY' -x '${message}' -w 60`,
    'client code': [
      "import { AuspexClient } from 'auspex-client'",
      '',
      `const auspex = new AuspexClient({ baseUrl: '${location.origin}', apiKey: process.env.AUSPEX_KEY })`,
      `for await (const event of auspex.subscribe({ type: '${type}', filters: ${filters} })) console.log(event)`,
    ].join('\n'),
  }
}
