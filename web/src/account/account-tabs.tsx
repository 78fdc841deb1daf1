import { Link } from '@tanstack/react-router'

/** The parts of an account, each on a page of its own. */
export const AccountTabs = () => (
  <nav className="tabs" aria-label="Account">
    <Link to="/account" activeOptions={{ exact: true }}>
      Keys and usage
    </Link>
    <Link to="/account/webhooks">Webhooks</Link>
    <Link to="/account/live">Live inspector</Link>
  </nav>
)
