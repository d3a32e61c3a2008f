"""The LiveKit side: rooms, turn taking, phones, the page server. It knows no model."""
