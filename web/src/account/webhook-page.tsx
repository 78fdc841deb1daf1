import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { auspex, useApi } from '../api.js'
import { Code } from '../parts/code.js'
import { CopyButton } from '../parts/copy-button.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { useAction } from '../parts/use-action.js'
import { Time } from '../parts/values.js'

const DAY_SECONDS = 86_400

export function WebhookPage() {
  const { id } = useParams({ from: '/account/webhooks/$id' })
  const webhook = useApi('/v3/webhooks/{id}', { path: { id }, everyMs: 15_000 })
  const [secret, setSecret] = useState<string>()
  const [notice, setNotice] = useState<string>()
  const { run, isBusy, problem } = useAction()
  const navigate = useNavigate()
  const path = { id }
  const test = () =>
    run(async () => {
      const {
        delivered,
        status_code: code,
        latency_ms: ms,
        error,
      } = await auspex.post('/v3/webhooks/{id}/test', { path })
      setNotice(delivered ? `Delivered: ${code} after ${ms} ms.` : `Not delivered: ${error ?? code}.`)
    })
  const rotate = () =>
    confirm('The old secret signs nothing any more. Make a new one?') &&
    run(async () => setSecret((await auspex.post('/v3/webhooks/{id}/rotate-secret', { path })).secret))
  const recover = () =>
    run(async () => {
      const since = Math.floor(Date.now() / 1_000) - DAY_SECONDS
      const { recovered } = await auspex.post('/v3/webhooks/{id}/recover', { path, body: { since } })
      setNotice(`${recovered} failed deliveries of the last day are sent once more.`)
    })
  const remove = () =>
    confirm('Delete the webhook with its history?') &&
    run(async () => {
      await auspex.delete('/v3/webhooks/{id}', { path })
      await navigate({ to: '/account/webhooks' })
    })
  return (
    <>
      <p>
        <Link to="/account/webhooks">All webhooks</Link>
      </p>
      <Loaded query={webhook} height={12}>
        {({ url, event_types: types, filters, active, description, disabled_reason: reason }) => (
          <>
            <div>
              <h1>{description ?? id}</h1>
              <p className="soft">
                {url} · {types.join(', ')}
              </p>
              {!active && <p className="notice">Paused{reason === null ? '.' : `: ${reason}.`}</p>}
            </div>
            <div className="row">
              <button type="button" className="primary" disabled={isBusy} onClick={() => void test()}>
                Send a test
              </button>
              <button
                type="button"
                disabled={isBusy}
                onClick={() =>
                  void run(() => auspex.put('/v3/webhooks/{id}', { path, body: { active: !active } }))
                }
              >
                {active ? 'Pause' : 'Activate'}
              </button>
              <button type="button" disabled={isBusy} onClick={() => void rotate()}>
                Rotate the secret
              </button>
              <button type="button" disabled={isBusy} onClick={() => void recover()}>
                Send what failed once more
              </button>
              <button type="button" className="danger" disabled={isBusy} onClick={() => void remove()}>
                Delete
              </button>
            </div>
            {notice !== undefined && <p role="status">{notice}</p>}
            {problem !== undefined && <p role="alert">{problem}</p>}
            {secret !== undefined && (
              <p className="notice row">
                The new secret, shown once: <code>{secret}</code> <CopyButton text={secret} />
              </p>
            )}
            {Object.keys(filters).length > 0 && (
              <Panel title="Filters">
                <div className="inside">
                  <Code text={JSON.stringify(filters, null, 2)} />
                </div>
              </Panel>
            )}
          </>
        )}
      </Loaded>
      <Deliveries id={id} />
    </>
  )
}

function Deliveries({ id }: { id: string }) {
  const [eventId, setEventId] = useState<string>()
  const deliveries = useApi('/v3/webhooks/{id}/deliveries', {
    path: { id },
    query: { limit: 50 },
    everyMs: 5_000,
  })
  return (
    <Panel title="Deliveries">
      <Loaded
        query={deliveries}
        height={16}
        empty={{ is: ({ count }) => count === 0, text: 'Nothing was sent yet. Send a test to try it.' }}
      >
        {({ deliveries: attempts }) => (
          <Table
            label="Deliveries"
            rows={attempts}
            keyOf={({ event_id: event, attempt, delivered_at: at }) => `${event} ${attempt} ${at}`}
            columns={[
              { title: 'Time', cell: ({ delivered_at: at }) => <Time at={at} /> },
              { title: 'Event', cell: ({ event_type: type }) => type },
              { title: 'Attempt', cell: ({ attempt }) => attempt, isNumber: true },
              {
                title: 'Result',
                cell: ({ success, status_code: code, error }) => (
                  <span className={success ? 'up' : 'down'}>{success ? code : (error ?? code)}</span>
                ),
              },
              { title: 'Took', cell: ({ latency_ms: ms }) => `${ms} ms`, isNumber: true },
              {
                title: 'Event id',
                cell: ({ event_id: event }) =>
                  event.startsWith('test_') ? (
                    <code>{event}</code>
                  ) : (
                    <button type="button" onClick={() => setEventId(event)}>
                      <code>{event}</code>
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {eventId !== undefined && <Delivery id={id} eventId={eventId} />}
    </Panel>
  )
}

function Delivery({ id, eventId }: { id: string; eventId: string }) {
  const path = { id, event_id: eventId }
  const delivery = useApi('/v3/webhooks/{id}/deliveries/{event_id}', { path })
  const { run, isBusy, problem } = useAction()
  return (
    <Loaded query={delivery}>
      {({ body, state, attempts }) => (
        <div className="inside form">
          <p className="row between">
            <span>
              {state} after {attempts} attempts
            </span>
            <button
              type="button"
              disabled={isBusy}
              onClick={() =>
                void run(() => auspex.post('/v3/webhooks/{id}/deliveries/{event_id}/resend', { path }))
              }
            >
              Send once more
            </button>
          </p>
          {problem !== undefined && <p role="alert">{problem}</p>}
          <Code text={JSON.stringify(JSON.parse(body), null, 2)} />
        </div>
      )}
    </Loaded>
  )
}
