"""The worker as LiveKit's own tools look for it: `lk agent console agent/lk.py`, `python -m livekit.agents`.

Their `start` serves rooms, but calls no other agent for one that dies, and has no health check of ours: `aura-agent
start` does.
"""

import os
import sys
from pathlib import Path

from agent.settings.agent import worker_settings
from agent.settings.env_file import with_files
from agent.settings.environment import SettingsError
from agent.worker import agent_server

# A console needs no LiveKit server; where one is needed, LiveKit's tools name it, or say that it lacks.
NO_SERVER = {"LIVEKIT_URL": "ws://127.0.0.1:7880", "LIVEKIT_API_KEY": "none", "LIVEKIT_API_SECRET": "none"}

try:
    server = agent_server(worker_settings({**NO_SERVER, **with_files(os.environ, None, Path.cwd())}))
except SettingsError as error:
    sys.exit("\n".join(f"aura-agent: {fault}" for fault in error.faults))
