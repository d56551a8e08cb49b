"""Run the server at an address until Ctrl-C or a signal."""

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

PIECE = 2**14  # bytes read from a connection at a time
GRACE = 1  # seconds for open connections when the server stops


class Piecewise(H11Protocol):
    """Reads a limited number of bytes at a time, because a body in very many small chunks takes
    long to parse: between two reads other connections are served."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.max_size = PIECE  # type: ignore[attr-defined]
        super().connection_made(transport)


class _Server(uvicorn.Server):
    """Prints its address once it accepts requests; SIGINT and SIGTERM stop it."""

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
        await self._app.state.workers.end()  # ends connections that wait for jobs, too
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
    """Serve the page until SIGINT or SIGTERM."""
    with _listening(host, port) as listener:
        if not local(host):
            print(
                f"boundcheck: --host: {host}: warning: anyone who can reach this address can "
                "compute on this machine, and nothing is encrypted",
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
