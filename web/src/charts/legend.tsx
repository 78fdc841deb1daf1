type LegendProps = { entries: readonly { name: string; colour: string }[] }

/** What the colours of a chart mean. */
export const Legend = ({ entries }: LegendProps) => (
  <ul className="legend">
    {entries.map(({ name, colour }) => (
      <li key={name}>
        <svg viewBox="0 0 10 10" aria-hidden="true">
          <rect width="10" height="10" rx="2" fill={`var(--${colour})`} />
        </svg>
        {name}
      </li>
    ))}
  </ul>
)
