import { useState } from 'react'
import { auspex, useApi } from '../api.js'
import { CopyButton } from '../parts/copy-button.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { useAction } from '../parts/use-action.js'
import { Time } from '../parts/values.js'

/** The API keys of the account. A new one is shown once. */
export function Keys() {
  const keys = useApi('/v1/account/keys')
  const { run, isBusy, problem } = useAction()
  const [name, setName] = useState('')
  const [made, setMade] = useState<string>()
  const make = () =>
    run(async () => {
      const { api_key: apiKey } = await auspex.post('/v1/account/keys', {
        body: { name: name.trim(), scope: 'full' },
      })
      setMade(apiKey)
      setName('')
    })
  const revoke = (id: string, isCurrent: boolean) => {
    const question = isCurrent
      ? 'This key signed you in: revoking it signs you out. Revoke it?'
      : 'Revoke this key for good?'
    if (confirm(question)) void run(() => auspex.delete('/v1/account/keys/{id}', { path: { id } }))
  }
  return (
    <Panel title="API keys">
      <Loaded query={keys} height={10}>
        {({ keys: list }) => (
          <Table
            label="API keys"
            rows={list}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Name',
                cell: ({ name: title, is_current: isCurrent }) => (
                  <>
                    {title} {isCurrent && <span className="badge live">this session</span>}
                  </>
                ),
                isText: true,
              },
              { title: 'Key', cell: ({ hint }) => <code>…{hint}</code> },
              { title: 'Made', cell: ({ created_at: at }) => <Time at={at} /> },
              {
                title: 'Last used',
                cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />),
              },
              {
                title: 'Revoke',
                cell: ({ id, name: title, is_current: isCurrent }) => (
                  <button
                    type="button"
                    className="danger"
                    disabled={isBusy}
                    aria-label={`Revoke ${title}`}
                    onClick={() => revoke(id, isCurrent)}
                  >
                    Revoke
                  </button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <form
        className="inside form"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <label>
          Name of a new key
          <input value={name} onChange={(event) => setName(event.target.value)} maxLength={100} required />
        </label>
        <div className="row">
          <button type="submit" className="primary" disabled={isBusy}>
            Create key
          </button>
        </div>
        {problem !== undefined && <p role="alert">{problem}</p>}
        {made !== undefined && (
          <div className="notice">
            <p>Your new key. Store it now: it cannot be shown again.</p>
            <p className="row">
              <code>{made}</code>
              <CopyButton text={made} />
            </p>
          </div>
        )}
      </form>
    </Panel>
  )
}
