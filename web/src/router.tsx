import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Frame } from './frame.js'
import { HomePage } from './home/home-page.js'
import { NotFound } from './not-found.js'

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound })

const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component })

const home = createRoute({ getParentRoute: () => root, path: '/', component: HomePage })

const pages = [
  home,
  page(
    '/markets/$slug',
    lazyRouteComponent(() => import('./market/market-page.js'), 'MarketPage'),
  ),
  page(
    '/events/$slug',
    lazyRouteComponent(() => import('./event/event-page.js'), 'EventPage'),
  ),
  page(
    '/wallets/$wallet',
    lazyRouteComponent(() => import('./wallet/wallet-page.js'), 'WalletPage'),
  ),
  page(
    '/leaderboard',
    lazyRouteComponent(() => import('./leaderboard/leaderboard-page.js'), 'LeaderboardPage'),
  ),
  page(
    '/crypto',
    lazyRouteComponent(() => import('./crypto/crypto-page.js'), 'CryptoPage'),
  ),
  page(
    '/sports',
    lazyRouteComponent(() => import('./sports/sports-page.js'), 'SportsPage'),
  ),
  page(
    '/sports/games/$slug',
    lazyRouteComponent(() => import('./sports/game-page.js'), 'GamePage'),
  ),
  page(
    '/account',
    lazyRouteComponent(() => import('./account/account-page.js'), 'AccountPage'),
  ),
  page(
    '/account/webhooks',
    lazyRouteComponent(() => import('./account/webhooks-page.js'), 'WebhooksPage'),
  ),
  page(
    '/account/webhooks/$id',
    lazyRouteComponent(() => import('./account/webhook-page.js'), 'WebhookPage'),
  ),
  page(
    '/account/live',
    lazyRouteComponent(() => import('./account/inspector-page.js'), 'InspectorPage'),
  ),
  page(
    '/status',
    lazyRouteComponent(() => import('./status/status-page.js'), 'StatusPage'),
  ),
  page(
    '/sign-in',
    lazyRouteComponent(() => import('./sign-in/sign-in-page.js'), 'SignInPage'),
  ),
]

export const router = createRouter({
  routeTree: root.addChildren(pages),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
