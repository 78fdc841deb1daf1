import type { ReactNode } from 'react'
import { useId } from 'react'

type PanelProps = { title: string; aside?: ReactNode; children: ReactNode }

/** A part of a page with a title of its own. */
export function Panel({ title, aside, children }: PanelProps) {
  const id = useId()
  return (
    <section className="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}

type FigureProps = { title: string; children: ReactNode; note?: ReactNode }

/** A number with its name, inside of a list `dl`. */
export const Figure = ({ title, children, note }: FigureProps) => (
  <div className="figure">
    <dt>{title}</dt>
    <dd>
      {children}
      {note !== undefined && (
        <>
          <br />
          <small>{note}</small>
        </>
      )}
    </dd>
  </div>
)
