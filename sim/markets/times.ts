/** `2026-10-03T04:05:00Z`, with a fraction of a second only where there is one. */
export const isoTime = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

export const isoDate = (ms: number): string => isoTime(ms).slice(0, 10)

/** The database's own form, which a few fields show: `2026-10-03 04:05:00+00`. */
export const databaseTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}+00`
