"""The server that `py-memory serve` is, over one store, without its limit of requests a minute."""

from __future__ import annotations

import sys

from py_memory.server.endpoint import Endpoint
from py_memory.server.open_store import open_store
from py_memory.server.site import SiteServer


def main() -> None:
    address, port = sys.argv[1], int(sys.argv[2])
    server = SiteServer(None, port=port, endpoint=Endpoint(open_store(address), per_minute=1_000_000_000))
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
