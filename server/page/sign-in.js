// Exchanges the token of the address for a cookie, and takes it out of the address bar
// and the history. A tab that shows this page already and is given the address of a later
// run does not load it again: only the fragment changes.
function signIn() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  history.replaceState(null, '', location.pathname)
  fetch('/v1/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  }).then((answer) => {
    document.getElementById('state').textContent = answer.ok
      ? 'This browser may use the server now.'
      : 'The server refused the token. Open the address that it printed last.'
  })
}
addEventListener('hashchange', signIn)
signIn()
