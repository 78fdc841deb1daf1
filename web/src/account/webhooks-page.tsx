import { Link, useNavigate } from '@tanstack/react-router'
import type { Answer } from 'auspex-client'
import { useState } from 'react'
import { auspex, useApi } from '../api.js'
import { CopyButton } from '../parts/copy-button.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { useAction } from '../parts/use-action.js'
import { AccountTabs } from './account-tabs.js'
import { FilterFields, type FilterTexts, readFilters } from './filter-fields.js'

export function WebhooksPage() {
  const webhooks = useApi('/v3/webhooks', { everyMs: 15_000 })
  return (
    <>
      <h1>Webhooks</h1>
      <AccountTabs />
      <Panel title="Your webhooks">
        <Loaded
          query={webhooks}
          empty={{ is: ({ count }) => count === 0, text: 'You have none yet. Make the first one below.' }}
        >
          {({ webhooks: list }) => (
            <Table
              label="Webhooks"
              rows={list}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Webhook',
                  cell: ({ id, description }) => (
                    <Link to="/account/webhooks/$id" params={{ id }}>
                      {description ?? id}
                    </Link>
                  ),
                },
                { title: 'Sends to', cell: ({ url }) => url, isText: true },
                { title: 'Events', cell: ({ event_types: types }) => types.join(', '), isText: true },
                {
                  title: 'State',
                  cell: ({ active, disabled_reason: reason }) => (
                    <span className={active ? 'badge live' : 'badge warn'}>
                      {active ? 'active' : (reason ?? 'paused')}
                    </span>
                  ),
                },
              ]}
            />
          )}
        </Loaded>
      </Panel>
      <NewWebhook />
    </>
  )
}

/** The fields follow from the event types that are chosen, and from the rules that the API has for their filters. */
function NewWebhook() {
  const types = useApi('/v3/webhooks/event-types')
  return (
    <Panel title="New webhook">
      <Loaded query={types} height={20}>
        {(rules) => <WebhookForm rules={rules} />}
      </Loaded>
    </Panel>
  )
}

function WebhookForm({ rules }: { rules: Answer<'/v3/webhooks/event-types'> }) {
  const navigate = useNavigate()
  const { run, isBusy, problem } = useAction()
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [texts, setTexts] = useState<FilterTexts>({})
  const [made, setMade] = useState<{ id: string; secret: string }>()
  const types = rules.event_types.filter(({ name }) => chosen.includes(name))
  const known = rules.filter_rules.filter(({ name }) => types.some(({ filters }) => filters.includes(name)))
  const required = new Set(types.flatMap((type) => type.required))

  const make = () =>
    run(async () => {
      const filters = readFilters(known, texts)
      const body = { url, event_types: chosen, filters, description: description || null } as never
      setMade(await auspex.post('/v3/webhooks', { body }))
    })

  if (made !== undefined) {
    return (
      <div className="inside form">
        <p>Made. Deliveries are signed with this secret. Store it now: it cannot be shown again.</p>
        <p className="row">
          <code>{made.secret}</code>
          <CopyButton text={made.secret} />
        </p>
        <p>
          <button
            type="button"
            className="primary"
            onClick={() => void navigate({ to: '/account/webhooks/$id', params: { id: made.id } })}
          >
            Test it
          </button>
        </p>
      </div>
    )
  }
  return (
    <form
      className="inside form"
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <label>
        Send to (https://)
        <input type="url" value={url} onChange={(event) => setUrl(event.target.value)} required />
      </label>
      <label>
        Description
        <input value={description} onChange={(event) => setDescription(event.target.value)} maxLength={200} />
      </label>
      <fieldset className="choices">
        <legend>Events</legend>
        {rules.event_types.map(({ name, description: meaning }) => (
          <label key={name} className="inline">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
              }
            />
            <span>
              <strong>{name}</strong>: {meaning}
            </span>
          </label>
        ))}
      </fieldset>
      <FilterFields rules={known} required={required} texts={texts} onChange={setTexts} />
      {problem !== undefined && <p role="alert">{problem}</p>}
      <div>
        <button type="submit" className="primary" disabled={isBusy || chosen.length === 0}>
          Make the webhook
        </button>
      </div>
    </form>
  )
}
