import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { Freshness } from './freshness.js'
import { SearchField } from './search-field.js'
import { signOut, useSession } from './session.js'
import { SignIn } from './sign-in/sign-in.js'
import { nextTheme, readTheme, saveTheme } from './theme.js'
import { Toasts } from './toasts.js'

const PAGES = {
  '/': 'Home',
  '/leaderboard': 'Leaderboard',
  '/crypto': 'Crypto',
  '/sports': 'Sports',
  '/status': 'Status',
} as const

/** Pages that need no key. */
const OPEN = ['/status', '/sign-in']

export function Frame() {
  const { pathname } = useLocation()
  // A link that signs in is opened by who is not signed in yet.
  const { session, isKnown } = useSession({ isWanted: pathname !== '/sign-in' })
  const isOpen = OPEN.includes(pathname)
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <div className="bar">
        <div className="bar-inside">
          <Link to="/" className="brand">
            <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
              <rect width="32" height="32" rx="7" fill="#1f2a44" />
              <path d="M6 22 12 14l5 5 9-11" fill="none" stroke="#7fd1b9" strokeWidth="3" />
            </svg>
            Auspex
          </Link>
          <nav aria-label="Pages">
            {Object.entries(PAGES).map(([path, title]) => (
              <Link key={path} to={path} activeOptions={{ exact: path === '/' }}>
                {title}
              </Link>
            ))}
            <a href="/docs">Docs</a>
          </nav>
          {session !== undefined && <SearchField />}
          <div className="row">
            <ThemeButton />
            {session !== undefined && (
              <>
                <Link to="/account">{session.account.name}</Link>
                <button type="button" onClick={() => void signOut()}>
                  Sign out
                </button>
              </>
            )}
          </div>
        </div>
      </div>
      <main id="content">
        {session !== undefined && <Freshness />}
        {isOpen || session !== undefined ? <Outlet /> : isKnown && <SignIn />}
      </main>
      <footer>
        <div>
          <span>Prediction-market data from your own machine.</span>
          <a href="/docs">REST reference</a>
          <a href="/docs/websocket">Streams</a>
          <a href="/docs/guides">Guides</a>
          <a href="/openapi.json">OpenAPI</a>
          <a href="/asyncapi.json">AsyncAPI</a>
        </div>
      </footer>
      <Toasts />
    </>
  )
}

const THEME_NAMES = { system: 'Auto', light: 'Light', dark: 'Dark' }

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme)
  return (
    <button
      type="button"
      aria-label={`Colours: ${THEME_NAMES[theme]}. Change`}
      onClick={() => {
        saveTheme(nextTheme(theme))
        setTheme(readTheme())
      }}
    >
      {THEME_NAMES[theme]}
    </button>
  )
}
