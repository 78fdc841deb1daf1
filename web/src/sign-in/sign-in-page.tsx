import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { AuspexError, auspex } from '../api.js'
import { Code } from '../parts/code.js'
import { Panel } from '../parts/panel.js'
import { forgetAll } from '../session.js'
import { SignIn } from './sign-in.js'

/** What the link of `auspex dashboard` opens: its code is exchanged for a session once. */
export function SignInPage() {
  const code = new URLSearchParams(location.search).get('code')
  return code === null ? <SignIn /> : <SignInByCode code={code} />
}

function SignInByCode({ code }: { code: string }) {
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string>()
  const [wantsName, setWantsName] = useState(false)
  const [name, setName] = useState('')
  const [apiKey, setApiKey] = useState<string>()
  const isTried = useRef(false)

  const exchange = async (accountName?: string) => {
    try {
      const body = accountName === undefined ? { code } : { code, account_name: accountName }
      const made = await auspex.post('/v1/session', { body })
      await forgetAll()
      if (made.api_key === undefined) await navigate({ to: '/', replace: true })
      else setApiKey(made.api_key)
    } catch (error) {
      const isFirst = error instanceof AuspexError && error.status === 400 && accountName === undefined
      if (isFirst) setWantsName(true)
      else setProblem(error instanceof Error ? error.message : String(error))
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a code is good for one exchange
  useEffect(() => {
    if (isTried.current) return
    isTried.current = true
    void exchange()
  }, [])

  if (problem !== undefined) {
    return (
      <>
        <p className="notice" role="alert">
          {problem}
        </p>
        <SignIn />
      </>
    )
  }
  if (apiKey !== undefined) {
    return (
      <div className="sign-in">
        <Panel title="Your account is ready">
          <div className="inside form">
            <p>This is its first API key. Store it now: it cannot be shown again.</p>
            <Code text={apiKey} />
            <button
              type="button"
              className="primary"
              onClick={() => void navigate({ to: '/', replace: true })}
            >
              Go on
            </button>
          </div>
        </Panel>
      </div>
    )
  }
  if (!wantsName) return <p role="status">Signing in …</p>
  return (
    <div className="sign-in">
      <Panel title="Make the first account">
        <form
          className="inside form"
          onSubmit={(event) => {
            event.preventDefault()
            void exchange(name.trim())
          }}
        >
          <p>This service has no account yet. The first one is yours, on the largest plan.</p>
          <label>
            Name of the account
            <input value={name} onChange={(event) => setName(event.target.value)} required maxLength={100} />
          </label>
          <button type="submit" className="primary">
            Make the account
          </button>
        </form>
      </Panel>
    </div>
  )
}
