"""Small asyncio helpers for objects whose lifetime LiveKit decides."""
