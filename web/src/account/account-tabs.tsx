import { Link } from '@tanstack/react-router'

/** The parts of an account, each on a page of its own. */
export const AccountTabs = () => (
  <nav className="tabs" aria-label="Account">
    <Link to="/account" activeOptions={{ exact: true }} activeProps={{ 'aria-current': 'true' }}>
      Keys and usage
    </Link>
    <Link to="/account/webhooks" activeProps={{ 'aria-current': 'true' }}>
      Webhooks
    </Link>
    <Link to="/account/live" activeProps={{ 'aria-current': 'true' }}>
      Live inspector
    </Link>
  </nav>
)
