"""Waits until a person or a supervisor asks a program to stop."""

import asyncio
import signal


async def asked_to_stop() -> signal.Signals:
    """Return the first SIGINT or SIGTERM. Another one, after that, ends the process."""
    loop = asyncio.get_running_loop()
    asked: asyncio.Future[signal.Signals] = loop.create_future()

    def ask(number: signal.Signals) -> None:
        if not asked.done():
            asked.set_result(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ask, number)
    try:
        return await asked
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
