"""The command `asplan` as the shells of tests find it: a command server runs it.

It hands on its words, its folder, its surroundings and its three streams, and ends as the command
ends. Where the surroundings bring modules of their own, a new interpreter runs the command.
"""

import json
import os
import socket
import sys


def main() -> int:
    """Have the words of the command line run."""
    own = os.environ.get("PYTHONPATH", "")
    if own and any(name.endswith((".py", ".dist-info")) for name in os.listdir(own)):  # noqa: PTH208
        python = os.environ["ASPLAN_TEST_PYTHON"]
        os.execv(python, [python, "-m", "asplan", *sys.argv[1:]])
    request: dict[str, object] = {"words": sys.argv[1:], "folder": os.getcwd()}  # noqa: PTH109
    request["env"] = dict(os.environ)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.connect(os.environ["ASPLAN_TEST_SERVER"])
        socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
        status = server.recv(1)
    return status[0] if status else 137


if __name__ == "__main__":
    sys.exit(main())
