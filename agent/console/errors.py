"""The errors of the console, each with a sentence for the person who reads it.

ValueError
└── NoSoundDevice     wrong usage here: no microphone and loudspeaker can be chosen
ConsoleError
├── SoundCardError    the sound card cannot be used, or is gone
└── RoomError         there is no talking in that room
"""


class NoSoundDevice(ValueError):
    """No microphone and loudspeaker can be chosen here."""


class ConsoleError(Exception):
    """A conversation has failed."""


class SoundCardError(ConsoleError):
    """The sound card cannot be used."""


class RoomError(ConsoleError):
    """There is no talking in that room."""
