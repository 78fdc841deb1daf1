import { useState } from 'react'
import { auspex } from '../api.js'
import { Panel } from '../parts/panel.js'
import { useRun } from '../parts/use-action.js'
import { forgetAll } from '../session.js'

/** Asks for a key once: the service gives a cookie for it, which scripts cannot read. */
export function SignIn() {
  const [key, setKey] = useState('')
  const { run, isBusy, problem } = useRun()
  const [made, setMade] = useState<string>()

  const signIn = (apiKey: string) =>
    run(async () => {
      await auspex.post('/v1/session', { body: { api_key: apiKey } })
      await forgetAll()
    })
  const makeKey = () =>
    run(async () => {
      const { api_key: apiKey } = await auspex.post('/v1/keys', { body: { name: 'Made in the browser' } })
      setMade(apiKey)
      setKey(apiKey)
    })

  return (
    <div className="sign-in">
      <Panel title="Sign in">
        <form
          className="inside form"
          onSubmit={(event) => {
            event.preventDefault()
            void signIn(key.trim())
          }}
        >
          <p>
            Every trade, position, P&amp;L and leaderboard of Polymarket, live, from this machine. Sign in
            with an API key; it stays signed in for a day.
          </p>
          <label>
            API key
            <input
              name="api_key"
              value={key}
              onChange={(event) => setKey(event.target.value)}
              placeholder="ax_live_…"
              autoComplete="off"
              spellCheck={false}
              required
            />
          </label>
          {made !== undefined && (
            <p className="notice">This is your new key. Store it now: it cannot be shown again.</p>
          )}
          {problem !== undefined && <p role="alert">{problem}</p>}
          <div className="row">
            <button type="submit" className="primary" disabled={isBusy}>
              Sign in
            </button>
            <button type="button" disabled={isBusy} onClick={() => void makeKey()}>
              Get a free key
            </button>
          </div>
          <p className="soft">
            The operator of this machine opens these pages with <code>npx auspex dashboard</code>.
          </p>
        </form>
      </Panel>
    </div>
  )
}
