"""The command `serve`."""

from __future__ import annotations

from importlib.util import find_spec

from boundcheck.terminal.options import option
from boundcheck.terminal.shared import command, plugins
from simulation.errors import InputError


@command
def _serve(
    port: int = option(8765, "Port; 0: any that is free.", "P", min=0, max=65535),
    host: str = option(
        "127.0.0.1", "Address to listen on; another one lets other machines use the page.", "H"
    ),
) -> None:
    """The calculator as a web page on this machine.

    Open the address that it prints; edit an instance there and see its bounds change.
    """
    if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
        expected = "the extra `web` (pip install boundcheck[web])"
        raise InputError("serve", "web", "not installed", expected)
    from boundcheck.web.serving import serve as until_stopped

    until_stopped(host, port, plugins())
