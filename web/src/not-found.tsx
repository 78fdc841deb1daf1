import { Link } from '@tanstack/react-router'

export const NotFound = () => (
  <>
    <h1>There is no such page</h1>
    <p>
      Go <Link to="/">home</Link>, or search for a market, a wallet or a game above.
    </p>
  </>
)
