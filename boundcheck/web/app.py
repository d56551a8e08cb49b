"""The routes of the server: each path, and its response. Only files of the package are served."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from boundcheck.pages.colours import stylesheet
from boundcheck.web.security import Guard
from boundcheck.web.worker_pool import BUSY, LATE, LOST, WorkerPool, message

LARGEST_BODY = 2_000_000  # bytes, as of an instance file
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
STATUS = {BUSY: 503, LATE: 503, LOST: 500}
# pages of the audit contain their own style, and no script
AUDIT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

FILES = resources.files("boundcheck") / "web"


def application(host: str = "127.0.0.1", plugins: Sequence[str] = ()) -> Starlette:
    """The application; `serving` gives it an address."""
    paths = Paths(WorkerPool(plugins))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await paths.workers.begin()
        try:
            yield
        finally:
            await paths.workers.end()

    app = Starlette(
        routes=[
            Route("/", paths.file),
            Route("/{name}.{kind}", paths.file),
            Route("/api/{work:path}", paths.begin),
            Route("/api/{work:path}", paths.ask, methods=["POST"]),
            Route("/audit/counterexamples/{name}.toml", paths.counterexample),
            Route("/audit/{page:path}.html", paths.audit),
        ],
        lifespan=lifespan,
        middleware=[Middleware(Guard, host=host)],
        exception_handlers={HTTPException: _wrong, ClientDisconnect: _gone, 500: _failed},  # type: ignore[dict-item]
    )
    app.state.workers = paths.workers
    return app


class Paths:
    def __init__(self, workers: WorkerPool) -> None:
        self.workers = workers
        self._files = {f.name: f.read_bytes() for f in (FILES / "static").iterdir()}
        self._files["colours.css"] = stylesheet().encode()

    async def file(self, request: Request) -> Response:
        found = request.path_params
        name = "{name}.{kind}".format(**found) if found else "index.html"
        if name not in self._files:
            raise HTTPException(404)
        return Response(self._files[name], media_type=TYPES[name.rpartition(".")[2]])

    async def begin(self, request: Request) -> Response:
        """Requests that do not depend on an instance."""
        work = request.path_params["work"]
        asked = {"start": self.workers.answer, "policies": self.workers.once}
        if work not in asked:
            raise HTTPException(404)
        return _response(await asked[work]({"work": work}))

    async def ask(self, request: Request) -> Response:
        """A short answer, or a job whose messages are streamed while the client stays connected."""
        work, asked = request.path_params["work"], await _table(request)
        if work in ("answer", "curves", "read", "line"):
            return _response(await self.workers.answer({**asked, "work": work}))
        if work == "regret":
            return _response(await self.workers.once({**asked, "work": work}))
        if work in ("simulate", "verify", "decide", "report"):
            told = self.workers.job({**asked, "work": work})
            return StreamingResponse(told, media_type="application/x-ndjson")
        raise HTTPException(404)

    async def audit(self, request: Request) -> Response:
        asked = {"work": "audit", "page": request.path_params["page"]}
        found = json.loads(await self.workers.answer(asked))
        if "error" in found:
            raise HTTPException(404, found["error"]["message"])
        headers = {"content-security-policy": AUDIT_POLICY}
        return Response(found["done"], media_type="text/html", headers=headers)

    async def counterexample(self, request: Request) -> Response:
        name = request.path_params["name"] + ".toml"
        known = {file.name: file for file in (FILES / "audit" / "counterexamples").iterdir()}
        if name not in known:
            raise HTTPException(404)
        return Response(known[name].read_bytes(), media_type="text/plain")


def _response(line: bytes, status: int | None = None) -> Response:
    known = STATUS.get(line, 400 if line.startswith(b'{"error"') else 200)
    return Response(line, status or known, media_type="application/json")


async def _table(request: Request) -> dict[str, Any]:
    """The JSON object of a request: numbers stay text as written, too long bodies are not read."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise HTTPException(413, f"body: expected at most {LARGEST_BODY:,} bytes")
    try:
        found = json.loads(body, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        raise HTTPException(400, "body: not JSON: expected an object") from None
    if not isinstance(found, dict):
        raise HTTPException(400, "body: no object: expected an object")
    return found


async def _wrong(request: Request, error: HTTPException) -> Response:
    return _response(message(f"request: {error.detail}"), error.status_code)


async def _gone(request: Request, error: ClientDisconnect) -> Response:
    """The client disconnected during its request: no error, and nobody reads the response."""
    return Response(status_code=400)


async def _failed(request: Request, error: Exception) -> Response:
    """An internal error; its traceback goes to the server's terminal."""
    return _response(LOST)
