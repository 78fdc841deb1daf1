/** The links that all pages of the service have. */
const PAGES = {
  '/': 'Auspex',
  '/leaderboard': 'Leaderboard',
  '/crypto': 'Crypto',
  '/sports': 'Sports',
  '/status': 'Status',
  '/account': 'Account',
  '/docs': 'API',
  '/docs/websocket': 'Streams',
  '/docs/guides': 'Guides',
}

export const PAGE_BAR = `<nav class="auspex-bar" aria-label="Pages">${Object.entries(PAGES)
  .map(([path, title]) => `<a href="${path}">${title}</a>`)
  .join('')}</nav>`
