"""All of it, on a page: `serve`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

from boundcheck.cli.shared import app, option, plugins


@app.command()
def serve(
    port: Annotated[
        int, option("Port; 0: any that is free.", metavar="P", min=0, max=65535)
    ] = 8765,
    host: Annotated[
        str, option("Address to listen on; others than this machine may ask then.", metavar="H")
    ] = "127.0.0.1",
) -> None:
    """The calculator as a page on this machine.

    Change an instance there, see what the theory says: open the address that it prints.
    """
    from simulation.errors import InputError

    if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
        expected = "the extra `web` (pip install boundcheck[web])"
        raise InputError("serve", "web", "not installed", expected)
    from boundcheck.web.serving import serve as until_stopped

    until_stopped(host, port, plugins())
