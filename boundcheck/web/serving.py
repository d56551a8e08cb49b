"""An address, a server on it, and a way out: Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import uvicorn

from boundcheck.web.app import application
from boundcheck.web.security import local
from simulation.files import refusal

GRACE = 1  # seconds that open connections get when the server stops


class _Server(uvicorn.Server):
    """Says where it is once it can be asked; signals end it, and are not passed on."""

    def __init__(self, config: uvicorn.Config, address: str) -> None:
        super().__init__(config)
        self._address = address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(f"boundcheck: {self._address} (Ctrl-C stops it)", flush=True)

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
        config = uvicorn.Config(
            application(host, plugins),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
        )
        address = f"http://{name}:{listener.getsockname()[1]}/"
        asyncio.run(_Server(config, address).serve([listener]))
    print("boundcheck: stopped", flush=True)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, ValueError) as error:
        raise refusal("serve", f"{host}:{port}", error, "a free port of this machine") from None
