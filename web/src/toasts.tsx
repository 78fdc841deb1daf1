import { useSyncExternalStore } from 'react'

type Toast = { id: number; text: string }

const SHOWN_MS = 8_000
const SHOWN_MAX = 4

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Tells the reader something that just happened, on whatever page. */
export function showToast(text: string): void {
  const id = ++lastId
  change([...toasts, { id, text }].slice(-SHOWN_MAX))
  setTimeout(() => change(toasts.filter((each) => each.id !== id)), SHOWN_MS)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(listen, () => toasts)
  return (
    <div className="toasts" role="log" aria-label="Notifications">
      {shown.map(({ id, text }) => (
        <div key={id} className="toast">
          {text}
        </div>
      ))}
    </div>
  )
}
