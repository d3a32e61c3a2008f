"""The page for other devices: TLS, signalling and TURN behind one port, and the certificate that they must trust."""
