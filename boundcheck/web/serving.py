"""An address, a server on it, and a way out: Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from boundcheck.web.app import application
from boundcheck.web.security import local
from simulation.files.writing import refusal

PIECE = 2**14  # bytes read from a connection at once
GRACE = 1  # seconds that open connections get when the server stops


class Piecewise(H11Protocol):
    """Reads little at a time: a body in very many very small pieces takes long to parse, and
    between two reads the others have their turn."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.max_size = PIECE  # type: ignore[attr-defined]
        super().connection_made(transport)


class _Server(uvicorn.Server):
    """Says where it is once it can be asked; signals end it, and are not passed on."""

    def __init__(self, app: Starlette, address: str) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Piecewise,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=GRACE,
            )
        )
        self._app, self._address = app, address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(f"boundcheck: {self._address} (Ctrl-C stops it)", flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._app.state.processes.end()  # so that connections that listen to jobs end, too
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        loop, numbers = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
        for number in numbers:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)


def serve(host: str, port: int, plugins: Sequence[str] = ()) -> None:
    """Serve the page until a signal comes."""
    with _listening(host, port) as listener:
        if not local(host):
            print(
                f"boundcheck: --host: {host}: whoever reaches this address can compute here, and "
                "nothing is encrypted: a warning",
                file=sys.stderr,
            )
        name = f"[{host}]" if ":" in host else host
        address = f"http://{name}:{listener.getsockname()[1]}/"
        asyncio.run(_Server(application(host, plugins), address).serve([listener]))
    print("boundcheck: stopped", flush=True)


def _listening(host: str, port: int) -> socket.socket:
    try:
        listener = socket.socket(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0])
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen()
        except OSError:
            listener.close()
            raise
    except (OSError, ValueError) as error:
        raise refusal("serve", f"{host}:{port}", error, "a free port of this machine") from None
    return listener
