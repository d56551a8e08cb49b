"""Which requests are allowed, and what the page may load.

Pages of other sites can send requests to this machine, and another site's name can be made to
resolve to it. So `Host` must be a name of this server, and computations, by a request of any
method, are allowed only from the server's own page or typed into the address line. That page loads
nothing from elsewhere and runs only the package's own scripts.
"""

from __future__ import annotations

from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boundcheck.web.worker_pool import message

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
COMPUTED = "/api"  # paths that the workers answer
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Refuse requests from other sites; `host` is the address on which the server listens."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app, self._host = app, host.lower()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(sent: Message) -> None:
            if sent["type"] == "http.response.start":
                headers = MutableHeaders(scope=sent)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(sent)

        wrong = self.refusal(scope["method"], Headers(scope=scope), scope["path"])
        refused = Response(message(f"request: {wrong}"), 403, media_type="application/json")
        await (self._app if wrong is None else refused)(scope, receive, guarded)

    def refusal(self, method: str, headers: Headers, path: str = "/") -> str | None:
        """Why a request is refused; None if it is allowed."""
        host = headers.get("host", "")
        if not self._ours(host):
            return f"Host: {host!r}: expected the address that the server printed"
        reading = method in ("GET", "HEAD")
        if reading and not path.startswith(COMPUTED):
            return None  # files may be linked from other sites
        own = f"http://{host}"
        origin, referrer = headers.get("origin", own), headers.get("referer", f"{own}/")
        if origin != own:
            return f"Origin: {origin!r}: expected this page"
        if not referrer.startswith(f"{own}/"):
            return f"Referer: {referrer!r}: expected this page"
        typed = ("none",) if reading else ()  # into the address line of a browser
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", *typed):
            return "Sec-Fetch-Site: expected a request of this page"
        if reading:
            return None
        kind = headers.get("content-type", "")
        if kind.partition(";")[0].strip() != "application/json":
            return f"Content-Type: {kind!r}: expected application/json"
        return None

    def _ours(self, host: str) -> bool:
        """Whether `Host` names this server; IP addresses count if it serves other machines, too."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        name = name.strip("[]").lower()
        if name == self._host or local(name):
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return not local(self._host)


def local(host: str) -> bool:
    """Whether the address is reachable only from this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
