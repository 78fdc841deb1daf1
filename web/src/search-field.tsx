import { useNavigate } from '@tanstack/react-router'
import type { Answer } from 'auspex-client'
import { type KeyboardEvent, useDeferredValue, useState } from 'react'
import { useApi } from './api.js'

type Kind = Answer<'/v3/search'>['results'][number]['kind']

const KINDS: Record<Kind, string> = {
  market: 'Market',
  event: 'Event',
  wallet: 'Wallet',
  user: 'Trader',
  token: 'Token',
  condition: 'Market',
  game: 'Game',
  tag: 'Tag',
}

/** Finds anything by a part of its name as one types. Arrow keys choose, Enter goes there. */
export function SearchField() {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const wanted = useDeferredValue(text.trim())
  const { data } = useApi('/v3/search', { query: { q: wanted, limit: 12 }, isWanted: wanted.length >= 2 })
  const results = text.trim().length >= 2 ? (data?.results ?? []) : []

  const open = (path: string | undefined) => {
    if (path === undefined) return
    setText('')
    void navigate({ to: path })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((chosen + step + results.length) % Math.max(1, results.length))
    } else if (event.key === 'Enter') open(results[chosen]?.url_path)
    else if (event.key === 'Escape') setText('')
  }

  return (
    <search className="search">
      <input
        type="search"
        role="combobox"
        aria-label="Search markets, events, wallets, traders, tokens, games and tags"
        aria-expanded={results.length > 0}
        aria-controls="found"
        aria-activedescendant={results.length > 0 ? `found-${chosen}` : undefined}
        placeholder="Search markets, wallets, games …"
        autoComplete="off"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      {results.length > 0 && (
        <div className="found" id="found" role="listbox" aria-label="Found">
          {results.map(({ kind, id, title, subtitle, url_path }, index) => (
            <div
              key={`${kind} ${id}`}
              id={`found-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onMouseDown={() => open(url_path)}
            >
              <span>{title}</span>
              <span className="kind">{KINDS[kind]}</span>
              {subtitle !== null && <span className="kind">{subtitle}</span>}
            </div>
          ))}
        </div>
      )}
    </search>
  )
}
