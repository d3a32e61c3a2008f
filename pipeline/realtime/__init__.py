"""The wire: OpenAI Realtime over one WebSocket for each caller, its server and its client."""
