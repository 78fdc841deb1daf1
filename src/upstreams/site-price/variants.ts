export type SiteInterval = '5m' | '15m' | '1h' | '4h' | '1d'

/** The site's own names for the lengths of up-or-down windows. */
export const VARIANTS: Readonly<Record<SiteInterval, string>> = {
  '5m': 'fiveminute',
  '15m': 'fifteen',
  '1h': 'hourly',
  '4h': 'fourhour',
  '1d': 'daily',
}
