"""Cases on virtual time: what hears and decides is real, the room is modelled."""
